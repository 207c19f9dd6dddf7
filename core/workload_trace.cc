#include "core/workload_trace.h"

#include <fmt/format.h>

#include "core/limits.h"

namespace schedlab {
namespace {

constexpr std::int32_t kLowestPriority = -1;
constexpr std::int32_t kHighestPriority = 140;  // idle

tl::unexpected<Error> Refuse(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

tl::unexpected<Error> RefuseTask(const WorkloadTrace& trace, std::size_t index,
                                 std::string_view why) {
  return Refuse(fmt::format("task {} of the trace ({}, pid {}) {}", index, trace.tasks[index].name,
                            trace.tasks[index].pid, why));
}

Status CheckStep(const WorkloadTrace& trace, std::size_t index, const TraceStep& step) {
  switch (step.kind) {
    case TraceStep::Kind::kRun:
    case TraceStep::Kind::kSleep:
      if (step.value >= 0 && step.value <= kMaxSimulatedNs) return {};
      return RefuseTask(
          trace, index,
          fmt::format("has a step of {} ns; 0 to {} are possible", step.value, kMaxSimulatedNs));
    case TraceStep::Kind::kWake:
      if (step.value >= 0 && step.value < static_cast<std::int64_t>(trace.tasks.size())) return {};
      return RefuseTask(trace, index,
                        fmt::format("wakes task {}; there are {}", step.value, trace.tasks.size()));
    case TraceStep::Kind::kWait:
      return {};
  }
  return {};
}

Status CheckTask(const WorkloadTrace& trace, std::size_t index) {
  const TraceTask& task = trace.tasks[index];
  if (task.name.size() > kMaxNameLength) {
    return RefuseTask(trace, index,
                      fmt::format("has a name of more than {} bytes", kMaxNameLength));
  }
  if (task.priority < kLowestPriority || task.priority > kHighestPriority) {
    return RefuseTask(trace, index,
                      fmt::format("has priority {}; {} to {} are possible", task.priority,
                                  kLowestPriority, kHighestPriority));
  }
  std::int64_t total_ns = 0;
  for (const TraceStep& step : task.steps) {
    if (Status fine = CheckStep(trace, index, step); !fine) return fine;
    const bool takes_time =
        step.kind == TraceStep::Kind::kRun || step.kind == TraceStep::Kind::kSleep;
    total_ns += takes_time ? step.value : 0;
    if (total_ns > kMaxSimulatedNs) {
      return RefuseTask(trace, index,
                        fmt::format("runs and sleeps for more than {} ns", kMaxSimulatedNs));
    }
  }
  return {};
}

// Executes a trace without time. Wakeups are only ever added, so a trace that ends in one order of
// its tasks ends in every order.
class EndlessWaitSearch {
 public:
  explicit EndlessWaitSearch(const WorkloadTrace& trace)
      : trace_(trace), places_(trace.tasks.size()) {}

  Status Run() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      ready_.push_back(i);
      while (!ready_.empty()) {
        const std::size_t next = ready_.back();
        ready_.pop_back();
        Advance(next);
      }
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].is_waiting) continue;
      return RefuseTask(trace_, i,
                        fmt::format("waits in its step {} for a wakeup that no task gives it",
                                    places_[i].next_step));
    }
    return {};
  }

 private:
  struct Place {
    std::size_t next_step = 0;
    std::int64_t wakeup_count = 0;  // given and not taken
    bool is_waiting = false;
  };

  void Advance(std::size_t index) {
    Place& place = places_[index];
    const std::vector<TraceStep>& steps = trace_.tasks[index].steps;
    for (; place.next_step < steps.size(); ++place.next_step) {
      const TraceStep& step = steps[place.next_step];
      if (step.kind == TraceStep::Kind::kWake) Give(static_cast<std::size_t>(step.value));
      if (step.kind != TraceStep::Kind::kWait) continue;
      place.is_waiting = place.wakeup_count == 0;
      if (place.is_waiting) return;
      --place.wakeup_count;
    }
  }

  void Give(std::size_t index) {
    Place& place = places_[index];
    ++place.wakeup_count;
    if (!place.is_waiting) return;
    place.is_waiting = false;
    ready_.push_back(index);
  }

  const WorkloadTrace& trace_;
  std::vector<Place> places_;
  std::vector<std::size_t> ready_;
};

}  // namespace

TraceTotals TotalsOf(const TraceTask& task) {
  TraceTotals totals;
  totals.step_count = static_cast<std::int64_t>(task.steps.size());
  for (const TraceStep& step : task.steps) {
    switch (step.kind) {
      case TraceStep::Kind::kRun:
        totals.run_ns += step.value;
        break;
      case TraceStep::Kind::kWake:
        ++totals.wakeup_count;
        break;
      case TraceStep::Kind::kWait:
        ++totals.block_count;
        break;
      case TraceStep::Kind::kSleep:
        ++totals.block_count;
        totals.sleep_ns += step.value;
        break;
    }
  }
  return totals;
}

TraceTotals TotalsOf(const WorkloadTrace& trace) {
  TraceTotals sum;
  for (const TraceTask& task : trace.tasks) {
    const TraceTotals totals = TotalsOf(task);
    sum.step_count += totals.step_count;
    sum.block_count += totals.block_count;
    sum.run_ns += totals.run_ns;
    sum.sleep_ns += totals.sleep_ns;
    sum.wakeup_count += totals.wakeup_count;
  }
  return sum;
}

Status Validate(const WorkloadTrace& trace) {
  if (trace.span_ns < 0 || trace.span_ns > kMaxSimulatedNs) {
    return Refuse(
        fmt::format("the trace spans {} ns; 0 to {} are possible", trace.span_ns, kMaxSimulatedNs));
  }
  if (trace.cpu_count < 0 || trace.cpu_count > kMaxCpus) {
    return Refuse(
        fmt::format("the trace has {} CPUs; 0 to {} are possible", trace.cpu_count, kMaxCpus));
  }
  if (trace.tasks.empty()) return Refuse("the trace has no tasks");
  if (static_cast<std::int64_t>(trace.tasks.size()) > kMaxTraceTasks) {
    return Refuse(fmt::format("the trace has {} tasks; at most {} are possible", trace.tasks.size(),
                              kMaxTraceTasks));
  }
  std::int64_t step_count = 0;
  for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
    step_count += static_cast<std::int64_t>(trace.tasks[i].steps.size());
    if (Status fine = CheckTask(trace, i); !fine) return fine;
  }
  if (step_count > kMaxTraceSteps) {
    return Refuse(
        fmt::format("the trace has {} steps; at most {} are possible", step_count, kMaxTraceSteps));
  }
  return EndlessWaitSearch(trace).Run();
}

}  // namespace schedlab
