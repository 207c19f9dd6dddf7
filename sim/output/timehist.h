#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// A stretch of one task, or of idleness, on one CPU, with what the task waited before it.
struct Stretch {
  SimTime end;
  CpuNumber cpu = 0;
  std::int32_t task = kIdleTask;
  std::int32_t next = kIdleTask;  // who follows on that CPU
  SimDuration sleep{0};           // off the CPU since it had blocked
  SimDuration preempted{0};       // off the CPU since it was preempted
  SimDuration delay{0};           // of `sleep`, since it was woken
  SimDuration run{0};
  LeaveReason reason = LeaveReason::kPreempted;

  SimDuration wait() const { return sleep + preempted; }
};

// Calls `visit(record, stretch)` for each record of the trace, in order; `stretch` is what a switch
// has ended, and null for other records.
using StretchVisitor = std::function<void(const TraceRecord& record, const Stretch* stretch)>;
void ForEachStretch(const SimTrace& trace, const StretchVisitor& visit);

// The stretches of one task, or of the idleness of one CPU, that have ended.
struct StretchSummary {
  std::int64_t count = 0;
  SimDuration run{0};
  SimDuration min_run{0};
  SimDuration max_run{0};
  double relative_error = 0;  // standard error of the mean run, as a ratio of that mean
  SimDuration sleep{0};
  SimDuration preempted{0};
  SimDuration delay{0};
  std::int64_t migration_count = 0;
  bool has_exited = false;

  SimDuration mean_run() const { return count == 0 ? SimDuration{0} : run / count; }
};

struct TimehistSummary {
  std::vector<StretchSummary> tasks;  // by task
  std::vector<StretchSummary> idle;   // by CPU
};

TimehistSummary SummarizeStretches(const SimTrace& trace);

}  // namespace schedlab::sim
