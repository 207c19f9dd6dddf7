#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/topology.h"
#include "sim/machine.h"
#include "sim/policy.h"
#include "sim/workload.h"

namespace schedlab::sim {

// Is told what every CPU does, as it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  // `cpu` turns to `task`, or to nothing where that is null.
  virtual void Switched(SimTime at, CpuNumber cpu, const Task* task) = 0;
};

// The part of an operating system that is no policy: it runs tasks step by step, delivers wakeups,
// ticks and interrupts, and asks the policy where to queue and what to execute.
class Kernel {
 public:
  // Everything borrowed must outlive the kernel; `observer` may be null.
  Kernel(const Topology& topology, Machine& machine, Policy& policy, Workload& workload,
         std::uint64_t seed, Observer* observer);

  // Runs until `end`, or until the workload has ended before. kCancelled if asked to stop.
  Status Run(SimTime end, std::stop_token stop);

  SimTime now() const { return machine_.now(); }
  std::int32_t cpu_count() const { return machine_.cpu_count(); }
  std::uint64_t seed() const { return seed_; }
  std::int64_t event_count() const { return event_count_; }
  const Machine& machine() const { return machine_; }

  // For workloads:
  Task& AddTask(std::string_view name, std::int32_t role, std::int32_t number);
  Task& AddTaskOn(std::string_view name, const std::vector<CpuNumber>& cpus, std::int32_t role,
                  std::int32_t number);
  static void SetNice(Task& task, std::int32_t nice);
  // A timer whose interrupt is delivered to `cpu`. Returns its number, from 0.
  std::int32_t AddTimer(CpuNumber cpu);
  void ArmTimer(std::int32_t timer, SimTime at);

  // Starts a dormant task, wherever the policy puts it; its first step comes from Next().
  void Fork(Task& task, const Context& context);
  void StartOn(Task& task, CpuNumber cpu);
  // Wakes a blocked task. Returns false, and does nothing, where it is not blocked.
  bool Wake(Task& task, const Context& context);
  // The run ends with the current event.
  void End() { has_ended_ = true; }

 private:
  enum class TimerKind : std::uint8_t { kCompletion, kIpi, kTick, kHousekeeping, kTask, kWorkload };
  struct TimerOwner {
    TimerKind kind;
    std::int32_t index;  // of a CPU, task or workload timer
  };
  struct WorkloadTimer {
    TimerId id;
    CpuNumber cpu;
  };

  void Dispatch(TimerId timer);
  void Own(TimerId timer, TimerKind kind, std::int32_t index);
  CpuNumber HandleTimer(const TimerOwner& owner);
  CpuNumber HandleTaskTimer(Task& task);
  void HandleTick(CpuNumber cpu);
  void HandleIpi(CpuNumber cpu);
  void HandleHousekeeping(CpuNumber cpu);
  void CompleteStep(CpuNumber cpu);
  Step NextStep(Task& task);

  void BlockCurrent(CpuNumber cpu, TaskState state);
  void Schedule(CpuNumber cpu);
  void SwitchTo(CpuNumber cpu, Task& next);
  void SwitchToIdle(CpuNumber cpu);
  void SetQueued(Task& task);
  void ArmTick(CpuNumber cpu);
  void AddHousekeeping(const Topology& topology);

  Machine& machine_;
  Policy& policy_;
  Workload& workload_;
  const std::uint64_t seed_;
  Observer* const observer_;
  std::vector<TimerOwner> owners_;  // by TimerId
  std::vector<WorkloadTimer> workload_timers_;
  std::vector<SimDuration> tick_phases_;  // by CPU
  std::vector<TimerId> housekeeping_timers_;
  std::vector<Task*> housekeeping_tasks_;
  SimDuration housekeeping_period_{0};
  // Whose wakeup was the last of this event: a workload's timer may let a running task of another
  // CPU wake somebody, and that CPU has to look at its own reschedule request then.
  CpuNumber waking_cpu_ = kNoCpu;
  std::int64_t event_count_ = 0;
  std::stop_token stop_;
  bool has_ended_ = false;
};

}  // namespace schedlab::sim
