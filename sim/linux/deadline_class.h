#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "sim/linux/deadline_bandwidth.h"
#include "sim/linux/deadline_queue.h"
#include "sim/linux/fair_server.h"
#include "sim/linux/higher_classes.h"
#include "sim/linux/sched_class.h"

namespace schedlab::sim::linux {

// Whether a running task is stopped exactly when its runtime is used up, or at the next tick (the
// feature HRTICK_DL of Linux, off by default).
enum class DeadlineEnforcement : std::uint8_t { kTick, kExact };

struct DeadlineOptions {
  DeadlineEnforcement enforcement = DeadlineEnforcement::kTick;
  FairServerMode fair_server = FairServerMode::kOff;
};

// SCHED_DEADLINE: global earliest deadline first; a constant-bandwidth server for each task keeps
// it to its runtime, and admission keeps their sum to 95 % of the machine. Unused bandwidth is not
// given to others (no GRUB: no task has SCHED_FLAG_RECLAIM).
class DeadlineClass final : public SchedClass {
 public:
  // Everything borrowed must outlive the class.
  DeadlineClass(Machine& machine, HigherClasses& higher, const DeadlineOptions& options);

  // As Policy::Admit(). Requires: `attributes` or the task's own are of this class.
  Status Admit(Task& task, const SchedAttributes& attributes);

  CpuNumber SelectCpu(Task& task, SelectReason reason, const Context& context) override;
  void Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) override;
  void Dequeue(Task& task, DequeueReason reason) override;
  void Leave(Task& task, EnqueueReason reason) override;
  void CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) override;
  void PutCurrent(CpuNumber cpu) override;
  void FetchBeforePick(CpuNumber cpu, std::optional<ClassKind> previous) override;
  Task* TakeNext(CpuNumber cpu) override;
  void HandOutAfterPick(CpuNumber cpu) override { Push(cpu, cpu); }
  void WokenBehind(Task& task, const Context& context) override;
  void Yield(CpuNumber cpu) override;
  void Tick(CpuNumber cpu) override;
  bool TimerFired(CpuNumber cpu, std::int32_t timer) override;
  std::int32_t QueuedCount(CpuNumber cpu) const override { return At(cpu).runnable_count; }
  void CheckInvariants() const override;
  void AddMetrics(std::map<std::string, double>& metrics) const override;

  // The earliest deadline of the tasks of `cpu`; SimTime::max() where it has none to run.
  SimTime EarliestDeadline(CpuNumber cpu) const;

  // CPUs go and come: less or more can be promised, but no promise is taken back.
  void SetOnlineCount(std::int32_t count) { bandwidth_.SetCpuCount(count); }

 private:
  struct PerCpu {
    DeadlineQueue queue;
    std::int32_t runnable_count = 0;  // throttled ones included
    Task* current = nullptr;
    SimTime accounted_to;  // the running time of `current`
    std::int32_t budget_timer = -1;
    bool is_last_call = false;  // its runtime is used up; what ends at this very instant may end
  };

  PerCpu& At(CpuNumber cpu) { return cpus_[static_cast<std::size_t>(cpu)]; }
  const PerCpu& At(CpuNumber cpu) const { return cpus_[static_cast<std::size_t>(cpu)]; }

  void Insert(Task& task, CpuNumber cpu);
  void Remove(Task& task);
  void NoteQueueChanged(CpuNumber cpu);
  bool IsBetweenDeadlineAndPeriod(const Task& task) const;
  void Account(CpuNumber cpu);
  void UpdateCurrent(CpuNumber cpu, SimDuration least_left);
  void Throttle(Task& task);
  void EndThrottling(Task& task, CpuNumber by);
  void ArmBudget(CpuNumber cpu, SimTime at);
  void EndRuntime(CpuNumber cpu);
  void StopBudget(PerCpu& own);

  void Push(CpuNumber cpu, CpuNumber by);
  bool PushOne(CpuNumber cpu, CpuNumber by);
  void Pull(CpuNumber cpu);
  Task* EarliestMovable(CpuNumber from, CpuNumber to) const;
  CpuNumber FindLater(const Task& task, CpuNumber here);
  void Move(Task& task, CpuNumber to, CpuNumber by);

  Machine& machine_;
  HigherClasses& higher_;
  const DeadlineEnforcement enforcement_;
  DeadlineBandwidth bandwidth_;
  CpuSet free_;        // CPUs without a deadline task
  CpuSet overloaded_;  // CPUs with a task that might be pulled
  std::vector<PerCpu> cpus_;
  std::vector<Task*> timer_tasks_;  // by policy timer
  std::uint64_t next_sequence_ = 0;
  std::int64_t push_count_ = 0;
  std::int64_t pull_count_ = 0;
  std::int64_t throttle_count_ = 0;
  bool has_been_used_ = false;
};

}  // namespace schedlab::sim::linux
