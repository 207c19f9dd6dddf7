#pragma once

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/disturbance.h"
#include "core/result.h"
#include "core/run_result.h"
#include "core/topology.h"
#include "sim/machine.h"
#include "sim/policy.h"
#include "sim/workload.h"

namespace schedlab::sim {

// The part of an operating system that is no policy: it runs tasks step by step, delivers wakeups,
// ticks and interrupts, and asks the policy where to queue and what to execute.
class Kernel {
 public:
  // Everything borrowed must outlive the kernel.
  Kernel(const Topology& topology, Machine& machine, Policy& policy, Workload& workload,
         std::uint64_t seed);

  // Runs until `end`, or until the workload or `event_limit` has ended it before. kCancelled if
  // asked to stop.
  Result<RunVerdict> Run(SimTime end, std::int64_t event_limit, std::stop_token stop);

  SimTime now() const { return machine_.now(); }
  std::int32_t cpu_count() const { return machine_.cpu_count(); }
  std::uint64_t seed() const { return seed_; }
  std::int64_t event_count() const { return event_count_; }
  const Machine& machine() const { return machine_; }

  // What disturbs the run. Requires valid lists; to be called before Run().
  void AddDisturbances(const std::vector<HotplugEvent>& hotplug,
                       const std::vector<IrqSource>& irq_sources);

  // For workloads:
  Task& AddTask(std::string_view name, std::int32_t role, std::int32_t number);
  Task& AddTaskOn(std::string_view name, const std::vector<CpuNumber>& cpus, std::int32_t role,
                  std::int32_t number);
  // A timer whose interrupt is delivered to `cpu`. Returns its number, from 0.
  std::int32_t AddTimer(CpuNumber cpu);
  void ArmTimer(std::int32_t timer, SimTime at);
  void DisarmTimer(std::int32_t timer);

  // A cgroup below `parent`. ChangeGroup() is to follow each change of its settings.
  TaskGroup& root_group() { return groups_.front(); }
  TaskGroup& AddGroup(std::string_view name, TaskGroup& parent, std::int64_t shares);
  void ChangeGroup(TaskGroup& group);
  std::deque<TaskGroup>& groups() { return groups_; }

  // In any state of the task. Requires: valid attributes; `cpus` not empty. SetAttributes() changes
  // nothing where it fails: the policy refuses to admit the task, see Policy::Admit(). A task whose
  // affinity has no CPU of its group may run on all of the group's; one that has no online CPU left
  // loses its affinity for good.
  Status SetAttributes(Task& task, const SchedAttributes& attributes);
  void SetNice(Task& task, std::int32_t nice);
  void SetAffinity(Task& task, const CpuSet& cpus);
  void SetGroup(Task& task, TaskGroup& group);

  // Starts a dormant task, wherever the policy puts it, or on `cpu` if it may run there and else
  // near to it; its first step comes from Next().
  void Fork(Task& task, const Context& context);
  void StartOn(Task& task, CpuNumber cpu);
  // Wakes a blocked task. Returns false, and does nothing, where it is not blocked.
  bool Wake(Task& task, const Context& where);
  // Ends the Step::Spin() of a task; does nothing where it is not spinning.
  void Release(Task& task);
  // A device interrupts `cpu` for `duration`.
  void RaiseIrq(CpuNumber cpu, SimDuration duration) { machine_.ChargeIrq(cpu, duration); }
  // The run ends with the current event.
  void End() { has_ended_ = true; }

 private:
  struct WorkloadTimer {
    TimerId id;
    CpuNumber cpu;
  };

  void NoteActing(CpuNumber cpu);
  void Dispatch(TimerId timer);
  CpuNumber HandleHotplug(const HotplugEvent& event);
  CpuNumber HandleIrq(std::int32_t source);
  void TakeOffline(CpuNumber cpu);
  void BringOnline(CpuNumber cpu);
  std::vector<Task*> Evict(CpuNumber cpu);
  CpuNumber Select(Task& task, SelectReason reason, const Context& context);
  CpuNumber Fallback(Task& task);
  void SetAllowed(Task& task, const CpuSet& allowed);
  CpuSet AllowedOf(const Task& task) const;
  void UpdateCpusets();
  CpuNumber HandleTimer(const TimerOwner& owner);
  CpuNumber HandleTaskTimer(Task& task);
  void HandleTick(CpuNumber cpu);
  CpuNumber HandleIpi(CpuNumber cpu);
  CpuNumber HandleHousekeeping(CpuNumber cpu);
  void CompleteStep(CpuNumber cpu);
  void BeginStep(CpuNumber cpu, const Step& step);
  void ExecOn(CpuNumber cpu, Task& task);
  Step NextStep(Task& task);
  template <class Change>
  void Requeue(Task& task, Change change);
  bool IsDeadlocked();

  void StartQueued(Task& task, CpuNumber cpu, const Context& context);
  void BlockCurrent(CpuNumber cpu, TaskState state);
  void Leave(CpuNumber cpu, Task& task);
  void Schedule(CpuNumber cpu);
  void SwitchTo(CpuNumber cpu, Task& next);
  void SwitchToIdle(CpuNumber cpu);
  void EndWait(CpuNumber cpu, Task& next);
  void SetQueued(Task& task);
  void ArmTick(CpuNumber cpu);
  void AddHousekeeping(const Topology& topology);

  Machine& machine_;
  Policy& policy_;
  Workload& workload_;
  const std::uint64_t seed_;
  std::deque<TaskGroup> groups_;    // stable addresses; the first is the root
  std::vector<CpuSet> group_cpus_;  // by group: its CPUs, within those of its parents
  std::vector<HotplugEvent> hotplug_;
  std::vector<IrqSource> irq_sources_;
  std::vector<TimerId> irq_timers_;
  std::vector<WorkloadTimer> workload_timers_;
  std::vector<SimDuration> tick_phases_;  // by CPU
  std::vector<TimerId> housekeeping_timers_;
  std::vector<Task*> housekeeping_tasks_;
  SimDuration housekeeping_period_{0};
  // Who woke, started or changed a task in this event: a workload's timer may let other CPUs than
  // its own do so, and each of them has to look at its own reschedule request then.
  std::vector<CpuNumber> acting_cpus_;
  std::int64_t event_count_ = 0;
  std::int64_t instant_event_count_ = 0;  // since time has advanced
  const Task* left_ = nullptr;            // what the CPU executed that is about to choose
  const Task* stepping_ = nullptr;        // whose next step is being decided
  bool has_ended_ = false;
};

}  // namespace schedlab::sim
