#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/fair/state.h"
#include "sim/linux/sched_class.h"

namespace schedlab::sim::fair {

// The fair class of Linux 2.6.31 to 6.12 with its load balancer. The load balancer works for a CPU
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
  // The running task need not have been put back. Pulls from other CPUs where there is none.
  Task* TakeNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  bool TimerFired(CpuNumber cpu, std::int32_t timer) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

  // The classes above are to keep this up to date.
  linux::HigherClasses& higher() { return state_.higher; }

  // A task of any class that slept on `from` wakes on `to`, by `by`, who pays for what it costs.
  void ChargeClockReads(CpuNumber from, CpuNumber to, CpuNumber by);
  // A task of any class was woken on `cpu`.
  void NoteWakeup(CpuNumber cpu);
  void BalanceAtTick(CpuNumber cpu);
  void BalanceRequested(CpuNumber cpu);
  void PushRequested(CpuNumber cpu);

  // `context.cpu` has woken `task` for `cpu`: counted, and whether `cpu` is to queue it itself
  // after an interrupt. What was handed over so is of whatever class.
  bool HandsOver(Task& task, CpuNumber cpu, const Context& context);
  std::vector<Task*> TakeHandedOver(CpuNumber cpu);
  bool ForgetHandedOver(Task& task);
  std::int32_t HandedOverCount(CpuNumber cpu) const;

  void IdleEntered(CpuNumber cpu);
  void IdleLeft(CpuNumber cpu);
  void GroupChanged(const TaskGroup& group) override;
  // Balancing goes on without `cpu`, or with it again.
  void Offline(CpuNumber cpu);
  void Online(CpuNumber cpu);
  std::vector<DomainReport> DomainReports(CpuNumber cpu) const;

 private:
  void AddMetricsByLevel(std::map<std::string, double>& metrics) const;
  void RebuildDomains();
  void Wake(Task& task, CpuNumber cpu, const Context& context);
  void EndTurn(CpuNumber cpu);

  State state_;
};

}  // namespace schedlab::sim::fair
