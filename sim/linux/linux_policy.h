#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "sim/fair/fair_class.h"
#include "sim/linux/deadline_class.h"
#include "sim/linux/fair_server.h"
#include "sim/linux/rt_class.h"
#include "sim/linux/sched_class.h"
#include "sim/policy.h"

namespace schedlab::sim::linux {

// The scheduler of Linux: a stack of classes, of which the first that has a task for a CPU provides
// it. A CPU that none has a task for is idle.
class LinuxPolicy final : public Policy {
 public:
  LinuxPolicy(Machine& machine, const fair::Switches& switches);

  Status Admit(Task& task, const SchedAttributes& attributes) override;
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
  void Offline(CpuNumber cpu) override;
  void Online(CpuNumber cpu) override;
  void GroupChanged(const TaskGroup& group) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override;
  std::vector<DomainReport> DomainReports(CpuNumber cpu) const override {
    return fair_.DomainReports(cpu);
  }
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

 private:
  struct PerCpu {
    // Of the task that was chosen last. A fair one that the fair server runs counts as kDeadline.
    std::optional<ClassKind> running;
    bool runs_fair = false;
    SimTime fair_accounted_to;
  };

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  static std::size_t IndexOf(ClassKind kind) { return static_cast<std::size_t>(kind); }
  SchedClass& Of(ClassKind kind) { return *classes_[IndexOf(kind)]; }
  SchedClass& Of(const Task& task) { return Of(ClassOf(task.attributes.policy)); }

  void Arrive(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context);
  std::int32_t CountInClasses(CpuNumber cpu) const;
  void EnterClass(Task& task, EnqueueReason reason);
  Task* TakeHigher(CpuNumber cpu);
  Task* TakeFair(CpuNumber cpu, ClassKind rank);
  void CheckPreemption(Task& task, CpuNumber by);
  Task* TakeNext(CpuNumber cpu);
  bool AccountFair(CpuNumber cpu);

  Machine& machine_;
  const bool has_deadline_class_;
  fair::FairClass fair_;
  RtClass rt_;
  DeadlineClass deadline_;
  FairServer fair_server_;
  std::array<SchedClass*, kClassCount> classes_;  // by ClassKind
  std::vector<PerCpu> cpus_;
  std::vector<ClassKind> class_of_task_;  // by task: where it was queued last
};

}  // namespace schedlab::sim::linux
