#include "sim/output/task_latency.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace schedlab::sim {
namespace {

// What the trace has told of one task so far.
struct Progress {
  TaskLatency latency;
  std::optional<SimTime> runnable_since;
  std::optional<SimTime> running_since;
};

void Leave(Progress& progress, SimTime at, LeaveReason reason) {
  if (progress.running_since) progress.latency.runtime += at - *progress.running_since;
  progress.running_since.reset();
  if (reason == LeaveReason::kPreempted) progress.runnable_since = at;
}

void Arrive(Progress& progress, SimTime at) {
  TaskLatency& latency = progress.latency;
  const SimTime since = progress.runnable_since.value_or(at);
  const SimDuration delay = at - since;
  latency.total_delay += delay;
  if (delay > latency.max_delay) {
    latency.max_delay = delay;
    latency.max_delay_start = since;
    latency.max_delay_end = at;
  }
  ++latency.switch_count;
  progress.runnable_since.reset();
  progress.running_since = at;
}

void Follow(std::vector<Progress>& tasks, const TraceRecord& record) {
  const auto of = [&tasks](std::int32_t task) -> Progress& {
    return tasks[static_cast<std::size_t>(task)];
  };
  switch (record.event) {
    case TraceEvent::kSwitch:
      if (record.task != kIdleTask) Leave(of(record.task), record.at, record.reason);
      if (record.other != kIdleTask) Arrive(of(record.other), record.at);
      return;
    case TraceEvent::kWake:
    case TraceEvent::kCreate:
      of(record.task).runnable_since = record.at;
      return;
    case TraceEvent::kMigrate:
      return;
  }
}

void Merge(TaskLatency& into, const TaskLatency& from) {
  into.task_count += from.task_count;
  into.runtime += from.runtime;
  into.switch_count += from.switch_count;
  into.total_delay += from.total_delay;
  if (from.max_delay <= into.max_delay) return;
  into.max_delay = from.max_delay;
  into.max_delay_start = from.max_delay_start;
  into.max_delay_end = from.max_delay_end;
}

std::vector<TaskLatency> MergedByName(const std::vector<TaskLatency>& tasks) {
  std::map<std::string, TaskLatency> by_name;
  for (const TaskLatency& task : tasks) {
    const auto [found, is_new] = by_name.emplace(task.name, task);
    if (!is_new) Merge(found->second, task);
  }
  std::vector<TaskLatency> merged;
  for (auto& entry : by_name) merged.push_back(std::move(entry.second));
  return merged;
}

// Rows of equal numbers stay in the order of their names, or of their tasks.
void SortByDelay(std::vector<TaskLatency>& rows) {
  const auto key = [](const TaskLatency& row) {
    return std::tuple(row.total_delay / row.switch_count, row.max_delay, row.switch_count,
                      row.runtime);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [key](const TaskLatency& a, const TaskLatency& b) { return key(a) > key(b); });
}

}  // namespace

std::vector<TaskLatency> MeasureLatency(const SimTrace& trace, LatencyRows rows) {
  std::vector<Progress> tasks(trace.tasks().size());
  trace.ForEach([&tasks](const TraceRecord& record) { Follow(tasks, record); });
  std::vector<TaskLatency> latencies;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Progress& progress = tasks[i];
    if (progress.latency.switch_count == 0) continue;
    if (progress.running_since) progress.latency.runtime += trace.end() - *progress.running_since;
    progress.latency.name = CommandNameOf(trace, static_cast<std::int32_t>(i));
    progress.latency.thread_id = ThreadIdOf(static_cast<std::int32_t>(i));
    latencies.push_back(progress.latency);
  }
  if (rows == LatencyRows::kByName) latencies = MergedByName(latencies);
  SortByDelay(latencies);
  return latencies;
}

}  // namespace schedlab::sim
