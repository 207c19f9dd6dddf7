#include "sim/workloads/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace schedlab::sim {
namespace {

constexpr std::int32_t kNiceZeroPriority = 120;
constexpr std::int32_t kFairPriorities = 100;  // from here on
constexpr std::int32_t kMostUrgent = 99;

SimDuration Scaled(std::int64_t value_ns, std::int64_t permille) {
  return SimDuration(value_ns * permille / 1000);
}

}  // namespace

SchedAttributes AttributesOfPriority(std::int32_t priority) {
  SchedAttributes attributes;
  if (priority >= kFairPriorities) {
    attributes.nice = std::clamp(priority - kNiceZeroPriority, -20, 19);
    return attributes;
  }
  attributes.policy = SchedPolicy::kFifo;
  attributes.rt_priority = std::clamp(kMostUrgent - priority, 1, kMostUrgent);
  return attributes;
}

Replay::Replay(const Parameters& parameters, WorkloadTrace trace)
    : trace_(std::move(trace)),
      work_scale_permille_(parameters.Get("work_scale_permille")),
      sleep_scale_permille_(parameters.Get("sleep_scale_permille")),
      places_(trace_.tasks.size()) {}

TaskDemand Replay::Demand() const {
  return {.count = static_cast<std::int64_t>(trace_.tasks.size()), .reason = "as recorded"};
}

void Replay::Start(Kernel& kernel) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const TraceTask& recorded = trace_.tasks[i];
    Task& task = kernel.AddTask(recorded.name, 0, static_cast<std::int32_t>(i));
    SCHEDLAB_CHECK(kernel.SetAttributes(task, AttributesOfPriority(recorded.priority)).has_value());
    places_[i].task = &task;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) Prepare(kernel, i);
  if (HasEnded()) kernel.End();
}

Step Replay::Next(Kernel& kernel, Task& task) {
  const auto index = static_cast<std::size_t>(task.number);
  Place& place = places_[index];
  const std::vector<TraceStep>& steps = trace_.tasks[index].steps;
  while (place.next_step < steps.size()) {
    const TraceStep& step = steps[place.next_step++];
    switch (step.kind) {
      case TraceStep::Kind::kRun:
        if (Work(step) > SimDuration{0}) return Step::Run(Work(step));
        break;
      case TraceStep::Kind::kWake:
        Give(kernel, static_cast<std::size_t>(step.value), {.cpu = task.cpu, .task = &task});
        break;
      case TraceStep::Kind::kWait:
      case TraceStep::Kind::kSleep:
        response_.Add(kernel.now() - place.runnable_since);
        place.runnable_since = kernel.now();
        if (place.wakeup_count > 0 && step.kind == TraceStep::Kind::kWait) {
          --place.wakeup_count;
          break;
        }
        return BlockFor(kernel, place, step);
    }
  }
  return Leave(kernel, place);
}

void Replay::TimerFired(Kernel& kernel, std::int32_t timer) {
  const std::size_t index = timer_owners_[static_cast<std::size_t>(timer)];
  Begin(kernel, index, {.cpu = static_cast<CpuNumber>(index) % kernel.cpu_count()});
}

std::string Replay::WaitOf(const Task& task) const {
  return fmt::format("for a wakeup (step {} of its trace)",
                     places_[static_cast<std::size_t>(task.number)].next_step);
}

void Replay::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  SimDuration done{0};
  SimDuration wanted{0};
  work_done_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    work_done_.push_back(places_[i].task->work_done);
    done += work_done_.back();
    wanted += WorkOf(i);
  }
  const auto elapsed = static_cast<double>(Ns(kernel.now()));
  if (elapsed > 0) metrics["work_per_sec"] = static_cast<double>(Ns(done)) / elapsed;
  if (wanted > SimDuration{0}) {
    metrics["replayed_work_ratio"] =
        static_cast<double>(Ns(done)) / static_cast<double>(Ns(wanted));
  }
  if (const auto p50 = response_.Quantile(500)) {
    metrics["response_p50_ns"] = static_cast<double>(*p50);
    metrics["response_p99_ns"] = static_cast<double>(*response_.Quantile(990));
  }
  if (!HasEnded()) return;
  metrics["elapsed_sec"] = elapsed / 1e9;
  if (trace_.span_ns > 0) {
    metrics["replay_slowdown"] = elapsed / static_cast<double>(trace_.span_ns);
  }
}

SimDuration Replay::WorkOf(std::size_t task) const {
  SimDuration work{0};
  for (const TraceStep& step : trace_.tasks[task].steps) {
    if (step.kind == TraceStep::Kind::kRun) work += Work(step);
  }
  return work;
}

// A task whose first step blocks is not there yet: what ends that block starts it.
void Replay::Prepare(Kernel& kernel, std::size_t index) {
  Place& place = places_[index];
  const std::vector<TraceStep>& steps = trace_.tasks[index].steps;
  const CpuNumber cpu = static_cast<CpuNumber>(index) % kernel.cpu_count();
  if (steps.empty()) {
    ++ended_count_;
  } else if (steps.front().kind == TraceStep::Kind::kWait) {
    place.next_step = 1;
    place.is_waiting = true;
  } else if (steps.front().kind == TraceStep::Kind::kSleep) {
    place.next_step = 1;
    const SimDuration sleep = Scaled(steps.front().value, sleep_scale_permille_);
    timer_owners_.push_back(index);
    kernel.ArmTimer(kernel.AddTimer(cpu), SimTime(sleep));
  } else {
    Begin(kernel, index, {.cpu = cpu});
  }
}

void Replay::Begin(Kernel& kernel, std::size_t index, const Context& context) {
  Place& place = places_[index];
  place.is_started = true;
  place.runnable_since = kernel.now();
  kernel.Fork(*place.task, context);
}

void Replay::Give(Kernel& kernel, std::size_t index, const Context& context) {
  Place& place = places_[index];
  if (!place.is_waiting) {
    ++place.wakeup_count;
    return;
  }
  place.is_waiting = false;
  if (!place.is_started) {
    Begin(kernel, index, context);
    return;
  }
  place.runnable_since = kernel.now();
  SCHEDLAB_CHECK(kernel.Wake(*place.task, context));
}

Step Replay::BlockFor(Kernel& kernel, Place& place, const TraceStep& step) {
  place.is_waiting = step.kind == TraceStep::Kind::kWait;
  if (place.is_waiting) return Step::Block();
  const SimDuration sleep = Scaled(step.value, sleep_scale_permille_);
  place.runnable_since = kernel.now() + sleep;
  return Step::Sleep(sleep);
}

Step Replay::Leave(Kernel& kernel, const Place& place) {
  response_.Add(kernel.now() - place.runnable_since);
  if (++ended_count_; HasEnded()) kernel.End();
  return Step::Exit();
}

SimDuration Replay::Work(const TraceStep& step) const {
  return Scaled(step.value, work_scale_permille_);
}

}  // namespace schedlab::sim
