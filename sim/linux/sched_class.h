#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/policy.h"

namespace schedlab::sim::linux {

// The classes in the order in which they are asked for a task.
enum class ClassKind : std::uint8_t { kDeadline, kRealTime, kFair };
inline constexpr std::size_t kClassCount = 3;

constexpr ClassKind ClassOf(SchedPolicy policy) {
  switch (policy) {
    case SchedPolicy::kDeadline:
      return ClassKind::kDeadline;
    case SchedPolicy::kFifo:
    case SchedPolicy::kRoundRobin:
      return ClassKind::kRealTime;
    case SchedPolicy::kNormal:
    case SchedPolicy::kBatch:
    case SchedPolicy::kIdle:
      break;
  }
  return ClassKind::kFair;
}

// One of the scheduling classes that LinuxPolicy stacks: its queues, which hold the tasks of this
// class alone. A call without an override does nothing.
class SchedClass {
 public:
  virtual ~SchedClass() = default;

  // As Policy's, but that no task preempts by being queued: see CheckPreemption().
  virtual CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) = 0;
  virtual void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) = 0;
  virtual void Dequeue(Task& task, DequeueReason reason) = 0;

  // `task` was of this class, or of another one, when it was runnable last; it is about to be
  // queued for `reason`, kWoken or kChanged, and `task.cpu` is still where it was.
  virtual void Leave(Task& /*task*/, EnqueueReason /*reason*/) {}
  virtual void Join(Task& /*task*/, EnqueueReason /*reason*/) {}

  // Asks for a reschedule of `cpu` if `task`, just queued there, should preempt the running task,
  // which is of this class too.
  virtual void CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) = 0;

  // A choice of `cpu` in order: its running task goes back among the waiting ones, if it is of this
  // class; the class may fetch tasks of other CPUs (`previous` is the class of what ran, empty if
  // the CPU was idle); it gives up the one to execute next, null where it has none; and the class
  // that has provided it may hand out what is left.
  virtual void PutCurrent(CpuNumber cpu) = 0;
  virtual void FetchBeforePick(CpuNumber /*cpu*/, std::optional<ClassKind> /*previous*/) {}
  virtual Task* TakeNext(CpuNumber cpu) = 0;
  virtual void HandOutAfterPick(CpuNumber /*cpu*/) {}

  // `task`, just queued on its CPU, does not execute at once.
  virtual void WokenBehind(Task& /*task*/, const Context& /*context*/) {}

  // The running task of `cpu` is of this class.
  virtual void Yield(CpuNumber cpu) = 0;
  virtual void Tick(CpuNumber cpu) = 0;

  // Returns whether `timer` is one of this class's.
  virtual bool TimerFired(CpuNumber /*cpu*/, std::int32_t /*timer*/) { return false; }

  // Runnable tasks on `cpu`, the running one and throttled ones among them.
  virtual std::int32_t QueuedCount(CpuNumber cpu) const = 0;

  virtual void GroupChanged(const TaskGroup& /*group*/) {}

  virtual void CheckInvariants() const = 0;
  virtual void AddMetrics(std::map<std::string, double>& /*metrics*/) const {}
};

}  // namespace schedlab::sim::linux
