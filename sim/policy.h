#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "sim/counters.h"
#include "sim/cpu_set.h"
#include "sim/machine.h"
#include "sim/task.h"
#include "sim/task_group.h"

namespace schedlab::sim {

enum class SelectReason : std::uint8_t { kWake, kFork, kExec };
// kChanged: it was taken out with DequeueReason::kChanged and comes back at once, with other
// attributes, allowed CPUs or group, or on another CPU.
enum class EnqueueReason : std::uint8_t { kWoken, kNew, kChanged };
enum class DequeueReason : std::uint8_t { kBlocked, kExited, kChanged };

// A scheduling policy under evaluation: which CPU a task queues on and which task a CPU executes.
// It sees only what a kernel's policy would, never the workload's future, and must be a function of
// these calls alone. It charges what its work costs to the CPU that does it.
class Policy {
 public:
  virtual ~Policy() = default;

  // Where `task` is to queue that was woken, that `context.task` has created, or that executes
  // another program from now on. An online CPU that it may run on.
  virtual CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) = 0;

  // `task` becomes runnable on `cpu` and `task.cpu` becomes that; requests a reschedule there where
  // it should preempt.
  virtual void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) = 0;

  // `task`, running or queued on `task.cpu`, stops being runnable there.
  virtual void Dequeue(Task& task, DequeueReason reason) = 0;

  // `task` is about to get these valid attributes. Refuses what it cannot promise, else reserves
  // it; what was reserved before is given back. The message reads well after "cannot set its
  // policy: ".
  virtual Status Admit(Task& /*task*/, const SchedAttributes& /*attributes*/) { return {}; }

  // The task that `cpu` is to execute now, null for none. A running task that is not picked again
  // has been put back into its queue.
  virtual Task* PickNext(CpuNumber cpu) = 0;

  // The running task of `cpu` lets others go first.
  virtual void Yield(CpuNumber cpu) = 0;

  // The periodic tick of a CPU that is not idle.
  virtual void Tick(CpuNumber cpu) = 0;

  // A timer of Machine::AddPolicyTimer() has fired on `cpu`.
  virtual void TimerFired(CpuNumber /*cpu*/, std::int32_t /*timer*/) {}

  // Another CPU has asked `cpu` to balance, or to push its running task away.
  virtual void BalanceRequested(CpuNumber /*cpu*/) {}
  virtual void PushRequested(CpuNumber /*cpu*/) {}
  // Tasks that were woken for `cpu` wait to be queued by it.
  virtual void WakeupsArrived(CpuNumber /*cpu*/) {}

  virtual void IdleEntered(CpuNumber /*cpu*/) {}
  virtual void IdleLeft(CpuNumber /*cpu*/) {}

  // `cpu` has no task any more and gets none until it is online again; then it is idle.
  virtual void Offline(CpuNumber /*cpu*/) {}
  virtual void Online(CpuNumber /*cpu*/) {}

  // `group` was created or its settings have changed.
  virtual void GroupChanged(const TaskGroup& /*group*/) {}

  // Runnable tasks on `cpu`, the running one among them.
  virtual std::int32_t QueuedCount(CpuNumber cpu) const = 0;

  // The domains of `cpu`, lowest first; empty where the policy has none.
  virtual std::vector<DomainReport> DomainReports(CpuNumber /*cpu*/) const { return {}; }

  // Ends the run if the policy's own books do not add up. For use after a run.
  virtual void CheckInvariants() const = 0;
  virtual void AddMetrics(std::map<std::string, double>& /*metrics*/) const {}
};

}  // namespace schedlab::sim
