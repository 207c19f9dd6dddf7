#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/cpu_set.h"
#include "sim/machine.h"
#include "sim/task.h"

namespace schedlab::sim {

// A scheduling policy under evaluation: which CPU a task queues on and which task a CPU executes.
// It sees only what a kernel's policy would, never the workload's future, and must be a function of
// these calls alone. It charges what its work costs to the CPU that does it.
class Policy {
 public:
  virtual ~Policy() = default;

  // Where a task that was woken, or that `context.task` has created, is to queue.
  virtual CpuNumber SelectCpuForWakeup(Task& task, const Context& context) = 0;
  virtual CpuNumber SelectCpuForNew(Task& task, const Context& context) = 0;

  // `task` becomes runnable on `cpu`; requests a reschedule there where it should preempt.
  virtual void EnqueueWoken(Task& task, CpuNumber cpu, const Context& context) = 0;
  virtual void EnqueueNew(Task& task, CpuNumber cpu, const Context& context) = 0;

  // The running task of `cpu` blocks or exits.
  virtual void DequeueCurrent(CpuNumber cpu) = 0;

  // The task that `cpu` is to execute now, null for none. A running task that is not picked again
  // has been put back into its queue.
  virtual Task* PickNext(CpuNumber cpu) = 0;

  // The periodic tick of a CPU that is not idle.
  virtual void Tick(CpuNumber cpu) = 0;

  // Another CPU has asked `cpu` to balance, or to push its running task away.
  virtual void BalanceRequested(CpuNumber cpu) = 0;
  virtual void PushRequested(CpuNumber cpu) = 0;

  virtual void IdleEntered(CpuNumber cpu) = 0;
  virtual void IdleLeft(CpuNumber cpu) = 0;

  virtual std::int32_t QueuedCount(CpuNumber cpu) const = 0;

  // Ends the run if the policy's own books do not add up. For use after a run.
  virtual void CheckInvariants() const = 0;
  virtual void AddMetrics(std::map<std::string, double>& metrics) const = 0;
};

}  // namespace schedlab::sim
