#include "sim/output/timehist.h"

#include <algorithm>
#include <cmath>

namespace schedlab::sim {
namespace {

// When a task was seen last, as perf keeps it.
struct Seen {
  std::optional<SimTime> left_at;
  LeaveReason left_because = LeaveReason::kPreempted;
  std::optional<SimTime> woken_at;
};

// A sum that tells the spread of what was added to it (Welford 1962).
struct Spread {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0;  // of the distances from the mean

  void Add(SimDuration duration) {
    const auto value = static_cast<double>(Ns(duration));
    ++count;
    const double before = value - mean;
    mean += before / static_cast<double>(count);
    squares += before * (value - mean);
  }
  double RelativeError() const {
    if (count < 2 || mean == 0) return 0;
    const double variance_of_mean =
        squares / static_cast<double>(count - 1) / static_cast<double>(count);
    return std::sqrt(variance_of_mean) / mean;
  }
};

// Follows the CPUs and tasks of a trace.
class StretchFinder {
 public:
  explicit StretchFinder(const SimTrace& trace)
      : switched_at_(static_cast<std::size_t>(trace.cpu_count())),
        idle_(static_cast<std::size_t>(trace.cpu_count())),
        tasks_(trace.tasks().size()) {}

  void NoteWakeup(const TraceRecord& record) {
    Seen& seen = tasks_[static_cast<std::size_t>(record.task)];
    if (!seen.woken_at) seen.woken_at = record.at;
  }

  Stretch End(const TraceRecord& record) {
    SimTime& begin = switched_at_[static_cast<std::size_t>(record.cpu)];
    Seen& seen = record.task == kIdleTask ? idle_[static_cast<std::size_t>(record.cpu)]
                                          : tasks_[static_cast<std::size_t>(record.task)];
    Stretch stretch{.end = record.at,
                    .cpu = record.cpu,
                    .task = record.task,
                    .next = record.other,
                    .run = record.at - begin,
                    .reason = record.reason};
    AddWait(seen, begin, stretch);
    seen = {.left_at = record.at, .left_because = record.reason, .woken_at = {}};
    begin = record.at;
    return stretch;
  }

 private:
  static void AddWait(const Seen& seen, SimTime begin, Stretch& stretch) {
    if (seen.woken_at && *seen.woken_at <= begin) stretch.delay = begin - *seen.woken_at;
    if (!seen.left_at) return;
    const bool was_preempted = seen.left_because == LeaveReason::kPreempted;
    (was_preempted ? stretch.preempted : stretch.sleep) = begin - *seen.left_at;
  }

  std::vector<SimTime> switched_at_;  // by CPU
  std::vector<Seen> idle_;            // by CPU
  std::vector<Seen> tasks_;
};

// A summary that is being added up.
struct Sum {
  StretchSummary summary;
  Spread runs;

  void Add(const Stretch& stretch) {
    summary.min_run = summary.count == 0 ? stretch.run : std::min(summary.min_run, stretch.run);
    summary.max_run = std::max(summary.max_run, stretch.run);
    ++summary.count;
    summary.run += stretch.run;
    summary.sleep += stretch.sleep;
    summary.preempted += stretch.preempted;
    summary.delay += stretch.delay;
    summary.has_exited = stretch.reason == LeaveReason::kExited;
    runs.Add(stretch.run);
  }
};

std::vector<StretchSummary> Finished(const std::vector<Sum>& sums) {
  std::vector<StretchSummary> summaries;
  for (const Sum& sum : sums) {
    summaries.push_back(sum.summary);
    summaries.back().relative_error = sum.runs.RelativeError();
  }
  return summaries;
}

}  // namespace

void ForEachStretch(const SimTrace& trace, const StretchVisitor& visit) {
  StretchFinder finder(trace);
  trace.ForEach([&](const TraceRecord& record) {
    if (record.event == TraceEvent::kSwitch) {
      const Stretch stretch = finder.End(record);
      visit(record, &stretch);
      return;
    }
    if (record.event != TraceEvent::kMigrate) finder.NoteWakeup(record);
    visit(record, nullptr);
  });
}

TimehistSummary SummarizeStretches(const SimTrace& trace) {
  std::vector<Sum> tasks(trace.tasks().size());
  std::vector<Sum> idle(static_cast<std::size_t>(trace.cpu_count()));
  ForEachStretch(trace, [&](const TraceRecord& record, const Stretch* stretch) {
    if (record.event == TraceEvent::kMigrate) {
      ++tasks[static_cast<std::size_t>(record.task)].summary.migration_count;
    }
    if (stretch == nullptr) return;
    const bool is_idle = stretch->task == kIdleTask;
    Sum& sum = is_idle ? idle[static_cast<std::size_t>(stretch->cpu)]
                       : tasks[static_cast<std::size_t>(stretch->task)];
    sum.Add(*stretch);
  });
  return {.tasks = Finished(tasks), .idle = Finished(idle)};
}

}  // namespace schedlab::sim
