#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/fair/fair_class.h"
#include "sim/linux/sched_class.h"
#include "sim/policy.h"

namespace schedlab::sim::linux {

// The scheduler of Linux: a stack of classes, of which the first that has a task for a CPU provides
// it. A CPU that none has a task for is idle.
class LinuxPolicy final : public Policy {
 public:
  LinuxPolicy(Machine& machine, const fair::Switches& switches);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  Task* PickNext(CpuNumber cpu) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  void TimerFired(CpuNumber cpu, std::int32_t timer) override;
  void BalanceRequested(CpuNumber cpu) override { fair_.BalanceRequested(cpu); }
  void PushRequested(CpuNumber cpu) override { fair_.PushRequested(cpu); }
  void WakeupsArrived(CpuNumber cpu) override;
  void IdleEntered(CpuNumber cpu) override { fair_.IdleEntered(cpu); }
  void IdleLeft(CpuNumber cpu) override { fair_.IdleLeft(cpu); }
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  void GroupChanged(const TaskGroup& group) override { fair_.GroupChanged(group); }
  std::vector<DomainReport> DomainReports(CpuNumber cpu) const override {
    return fair_.DomainReports(cpu);
  }
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

 private:
  static std::size_t IndexOf(ClassKind kind) { return static_cast<std::size_t>(kind); }
  // A task of a class that is not there is a fair one.
  ClassKind KindOf(const Task& task) const {
    const ClassKind kind = ClassOf(task.attributes.policy);
    return classes_[IndexOf(kind)] != nullptr ? kind : ClassKind::kFair;
  }
  SchedClass& Of(const Task& task) { return *classes_[IndexOf(KindOf(task))]; }

  void Arrive(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context);
  std::int32_t CountInClasses(CpuNumber cpu) const;
  void EnterClass(Task& task, EnqueueReason reason);
  Task* TakeHigher(CpuNumber cpu, std::optional<ClassKind>& running);
  void CheckPreemption(Task& task, CpuNumber by);

  Machine& machine_;
  fair::FairClass fair_;
  std::array<SchedClass*, kClassCount> classes_;   // by ClassKind; null where there is none
  std::vector<std::optional<ClassKind>> running_;  // by CPU: of the task that was chosen last
  std::vector<ClassKind> class_of_task_;           // by task: where it was queued last
};

}  // namespace schedlab::sim::linux
