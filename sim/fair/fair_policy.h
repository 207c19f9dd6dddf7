#pragma once

#include <map>
#include <string>

#include "sim/fair/state.h"
#include "sim/policy.h"

namespace schedlab::sim::fair {

// The fair class of Linux 3.11 to 3.13 with its load balancer.
class FairPolicy final : public Policy {
 public:
  FairPolicy(Machine& machine, const Switches& switches);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  Task* PickNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  void BalanceRequested(CpuNumber cpu) override;
  void PushRequested(CpuNumber cpu) override;
  void WakeupsArrived(CpuNumber cpu) override;
  void TimerFired(CpuNumber cpu, std::int32_t timer) override;
  void IdleEntered(CpuNumber cpu) override;
  void IdleLeft(CpuNumber cpu) override;
  void GroupChanged(const TaskGroup& group) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  std::vector<DomainReport> DomainReports(CpuNumber cpu) const override;
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

 private:
  void EnqueueWoken(Task& task, CpuNumber cpu, const Context& context);
  void ArriveWoken(Task& task, CpuNumber cpu, CpuNumber by);

  State state_;
};

}  // namespace schedlab::sim::fair
