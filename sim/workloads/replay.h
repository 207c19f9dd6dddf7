#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/sched_attributes.h"
#include "core/workload_trace.h"
#include "sim/histogram.h"
#include "sim/kernel.h"
#include "sim/parameters.h"
#include "sim/workload.h"

namespace schedlab::sim {

// How the kernel schedules a task of this priority, as far as the number tells: nothing of batch,
// idle and round-robin tasks, nor of a deadline task's budget, which becomes the most urgent
// first-in-first-out task.
SchedAttributes AttributesOfPriority(std::int32_t priority);

// The tasks of a recording, doing what they did there: as much work, the same wakeups at the same
// points of that work, sleeps of the same length. A wakeup that comes before its wait is kept for
// it, so every replay ends, in whatever order a policy runs the tasks.
class Replay final : public Workload {
 public:
  static constexpr std::array kRules = {
      ParameterRule{"work_scale_permille", 1'000, 1, 100'000},
      ParameterRule{"sleep_scale_permille", 1'000, 0, 100'000},
  };

  // Requires: Validate(trace) is well.
  Replay(const Parameters& parameters, WorkloadTrace trace);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& kernel, std::int32_t timer) override;
  std::string WaitOf(const Task& task) const override;
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

  // After a run: the CPU time for its own work that each task had, in the order of the trace.
  const std::vector<SimDuration>& WorkDone() const { return work_done_; }
  // What each task is to do.
  SimDuration WorkOf(std::size_t task) const;

 private:
  struct Place {
    Task* task = nullptr;
    std::size_t next_step = 0;
    std::int64_t wakeup_count = 0;  // given and not taken
    bool is_started = false;
    bool is_waiting = false;
    SimTime runnable_since;  // since its last block
  };

  bool HasEnded() const { return ended_count_ == places_.size(); }
  void Prepare(Kernel& kernel, std::size_t index);
  void Begin(Kernel& kernel, std::size_t index, const Context& context);
  void Give(Kernel& kernel, std::size_t index, const Context& context);
  Step BlockFor(Kernel& kernel, Place& place, const TraceStep& step);
  Step Leave(Kernel& kernel, const Place& place);
  SimDuration Work(const TraceStep& step) const;

  const WorkloadTrace trace_;
  const std::int64_t work_scale_permille_;
  const std::int64_t sleep_scale_permille_;
  std::vector<Place> places_;              // by task of the trace
  std::vector<std::size_t> timer_owners_;  // tasks, by timer
  std::size_t ended_count_ = 0;
  Histogram response_;
  std::vector<SimDuration> work_done_;
};

}  // namespace schedlab::sim
