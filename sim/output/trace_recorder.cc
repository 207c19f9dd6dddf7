#include "sim/output/trace_recorder.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

TracedPriority PriorityOf(const SchedAttributes& attributes) {
  constexpr std::int32_t kDeadlinePriority = -1;
  constexpr std::int32_t kMostUrgentRealTime = 99;
  constexpr std::int32_t kNice0 = 120;
  if (IsFair(attributes.policy)) return TracedPriority(kNice0 + attributes.nice);
  if (IsRealTime(attributes.policy)) {
    return TracedPriority(kMostUrgentRealTime - attributes.rt_priority);
  }
  return TracedPriority(kDeadlinePriority);
}

LeaveReason ReasonOf(TaskState state) {
  switch (state) {
    case TaskState::kQueued:
    case TaskState::kRunning:
      return LeaveReason::kPreempted;
    case TaskState::kBlocked:
      return LeaveReason::kBlocked;
    case TaskState::kDormant:
      return LeaveReason::kExited;
  }
  return LeaveReason::kPreempted;
}

std::int32_t IndexOf(const Task* task) { return task == nullptr ? kIdleTask : task->index; }

}  // namespace

void TraceRecorder::Switched(SimTime at, CpuNumber cpu, const Task* previous, const Task* next) {
  TraceRecord record{.at = at,
                     .task = IndexOf(previous),
                     .other = IndexOf(next),
                     .cpu = static_cast<std::int16_t>(cpu),
                     .target_cpu = static_cast<std::int16_t>(cpu),
                     .event = TraceEvent::kSwitch};
  if (previous != nullptr) {
    record.reason = ReasonOf(previous->state);
    record.priority = PriorityOf(previous->attributes);
  }
  if (next != nullptr) {
    Know(*next);
    record.other_priority = PriorityOf(next->attributes);
  }
  trace_.Append(record);
}

void TraceRecorder::Woken(SimTime at, CpuNumber by, const Task* actor, const Task& task) {
  Know(task);
  trace_.Append({.at = at,
                 .task = task.index,
                 .other = IndexOf(actor),
                 .cpu = static_cast<std::int16_t>(by),
                 .target_cpu = static_cast<std::int16_t>(task.cpu),
                 .event = TraceEvent::kWake,
                 .priority = PriorityOf(task.attributes)});
}

void TraceRecorder::Created(SimTime at, CpuNumber by, const Task* actor, const Task& task) {
  Know(task);
  if (actor != nullptr) trace_.Task(task.index).parent = actor->index;
  trace_.Append({.at = at,
                 .task = task.index,
                 .other = IndexOf(actor),
                 .cpu = static_cast<std::int16_t>(by),
                 .target_cpu = static_cast<std::int16_t>(task.cpu),
                 .event = TraceEvent::kCreate,
                 .priority = PriorityOf(task.attributes)});
}

void TraceRecorder::Migrated(SimTime at, const Task& task, CpuNumber from, CpuNumber to) {
  Know(task);
  trace_.Append({.at = at,
                 .task = task.index,
                 .cpu = static_cast<std::int16_t>(from),
                 .target_cpu = static_cast<std::int16_t>(to),
                 .event = TraceEvent::kMigrate,
                 .priority = PriorityOf(task.attributes)});
}

void TraceRecorder::KnowUpTo(const Task& task) {
  trace_.Task(task.index);
  known_count_ = task.index + 1;
}

void TraceRecorder::Name(const Task& task) {
  trace_.Task(task.index).name = task.name.empty() ? fmt::format("task-{}", task.index) : task.name;
}

}  // namespace schedlab::sim
