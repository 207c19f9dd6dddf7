#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/task_script.h"
#include "sim/histogram.h"
#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/script_thread_report.h"
#include "sim/workload.h"
#include "sim/workloads/script_mutexes.h"

namespace schedlab::sim {

// Threads that do what a script says. The run is over when all of them are.
class TaskScriptWorkload final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"memory_mb_per_sec", 10'000, 1, 1'000'000},
      ParameterRule{"device_mb_per_sec", 500, 1, 1'000'000},
      ParameterRule{"write_call_ns", 300, 0, 1'000'000'000},
  };

  // Requires: a script as the parsers of ingest/ make them, on CPUs below `cpu_count`.
  TaskScriptWorkload(const TaskScript& script, const Parameters& parameters);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  std::string WaitOf(const Task& task) const override;
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

  // After the run, in the order of the script.
  const std::vector<ScriptThreadReport>& Reports() const { return reports_; }

 private:
  struct Timer {
    bool is_started = false;
    SimTime expires;
  };
  // Where in its script a thread is.
  struct Thread {
    Task* task = nullptr;
    std::size_t kind = 0;
    bool has_begun = false;
    bool is_alive = false;
    SimTime begun;  // after its delay; what timers count from
    std::size_t phase = 0;
    std::size_t event = 0;
    std::int64_t phase_passes_done = 0;
    std::int64_t thread_passes_done = 0;
    std::vector<Timer> timers;        // its own ones
    SimTime awaited_expiry = kNever;  // of the timer that it sleeps for
    bool has_slack = false;           // of the pass at hand
    SimDuration slack{0};
  };
  struct Semaphore {
    std::int64_t count = 0;
    std::deque<Task*> waiters;
  };

  const Thread& ThreadOf(const Task& task) const {
    return threads_[static_cast<std::size_t>(task.number)];
  }
  Thread& ThreadOf(const Task& task) { return threads_[static_cast<std::size_t>(task.number)]; }
  const ScriptThread& KindOf(const Thread& thread) const { return script_.threads[thread.kind]; }
  ScriptThreadReport& ReportOf(const Thread& thread) { return reports_[thread.kind]; }

  std::int64_t ForksOf(std::size_t kind) const;
  void AddGroups(Kernel& kernel);
  void AddThread(Kernel& kernel, std::size_t kind, const std::string& name);
  void Launch(Kernel& kernel, Thread& thread, const Context& context);
  CpuSet CpusOf(const Kernel& kernel, const ScriptPhase& phase) const;

  // What the thread does next; nothing where that took no time.
  std::optional<Step> Advance(Kernel& kernel, Thread& thread);
  std::optional<Step> BeginThread(Kernel& kernel, Thread& thread);
  void BeginPass(Kernel& kernel, Thread& thread);
  std::optional<Step> EndPass(Kernel& kernel, Thread& thread);
  std::optional<Step> Do(Kernel& kernel, Thread& thread, const ScriptEvent& event);
  std::optional<Step> Synchronize(Kernel& kernel, Thread& thread, const ScriptEvent& event);
  std::optional<Step> AwaitTimer(Kernel& kernel, Thread& thread, const ScriptEvent& event);
  std::optional<Step> MeetAtBarrier(Kernel& kernel, Thread& thread, std::int32_t barrier);
  std::optional<Step> WaitForSemaphore(Thread& thread, std::int32_t semaphore);
  void Post(Kernel& kernel, const Task& poster, std::int32_t semaphore);
  void Signal(Kernel& kernel, const Task& signaller, std::int32_t condition);
  void WakeAll(Kernel& kernel, const Task& waker, std::deque<Task*>& waiters);
  void ForkOne(Kernel& kernel, const Task& parent, std::size_t kind);
  Step WriteToDevice(Kernel& kernel, std::int64_t byte_count);
  void NoteTimerWake(const Kernel& kernel, Thread& thread);

  const TaskScript script_;  // waits and syncs are taken apart into their steps
  const std::int64_t memory_mb_per_sec_;
  const std::int64_t device_mb_per_sec_;
  const SimDuration write_call_;
  std::vector<Thread> threads_;
  std::vector<std::deque<std::size_t>> unused_;  // by kind: threads to fork
  std::vector<TaskGroup*> groups_;
  ScriptMutexes mutexes_;
  std::vector<Timer> timers_;  // shared
  std::vector<std::deque<Task*>> suspended_;
  std::vector<std::deque<Task*>> condition_waiters_;
  std::vector<std::deque<Task*>> barrier_waiters_;
  std::vector<Semaphore> semaphores_;
  SimTime device_free_at_;
  std::int64_t alive_count_ = 0;
  std::int64_t refused_fork_count_ = 0;
  Histogram timer_latency_;
  std::vector<ScriptThreadReport> reports_;
};

}  // namespace schedlab::sim
