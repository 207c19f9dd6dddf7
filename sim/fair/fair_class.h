#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/fair/state.h"
#include "sim/linux/sched_class.h"

namespace schedlab::sim::fair {

// The fair class of Linux 3.11 to 3.13 with its load balancer. The load balancer works for a CPU
// whatever class its running task is of.
class FairClass final : public linux::SchedClass {
 public:
  FairClass(Machine& machine, const Switches& switches);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  void Leave(Task& task, EnqueueReason reason) override;
  void Join(Task& task, EnqueueReason reason) override;
  void CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) override;
  void PutCurrent(CpuNumber cpu) override;
  Task* TakeNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override { return state_.Queue(cpu).task_count; }
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

  // The classes above are to keep this up to date.
  linux::HigherClasses& higher() { return state_.higher; }

  // A task of any class was woken on `cpu`.
  void NoteWakeup(CpuNumber cpu);
  // `cpu` has nothing left to execute.
  void BalanceNewlyIdle(CpuNumber cpu);
  void BalanceAtTick(CpuNumber cpu);
  void BalanceRequested(CpuNumber cpu);
  void PushRequested(CpuNumber cpu);
  void IdleEntered(CpuNumber cpu);
  void IdleLeft(CpuNumber cpu);
  std::vector<DomainReport> DomainReports(CpuNumber cpu) const;

 private:
  State state_;
};

}  // namespace schedlab::sim::fair
