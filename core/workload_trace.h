#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab {

// One thing that a recorded task did, in the order in which it did them.
struct TraceStep {
  enum class Kind : std::uint8_t {
    kRun,    // `value` nanoseconds of CPU time
    kWake,   // gives the task with index `value` one wakeup
    kWait,   // blocks until a wakeup has been given to it that no earlier wait has taken
    kSleep,  // blocks for `value` nanoseconds
  };
  Kind kind = Kind::kRun;
  std::int64_t value = 0;  // 0 for kWait

  static TraceStep Run(std::int64_t for_ns) { return {Kind::kRun, for_ns}; }
  static TraceStep Wake(std::int64_t task) { return {Kind::kWake, task}; }
  static TraceStep Wait() { return {Kind::kWait, 0}; }
  static TraceStep Sleep(std::int64_t for_ns) { return {Kind::kSleep, for_ns}; }

  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

// A recorded task. One whose first step is a wait or a sleep was not runnable when the recording
// began: it is started by its first wakeup, or after that time. Every task ends after its steps.
struct TraceTask {
  std::string name;
  std::int32_t pid = 0;         // on the recorded machine
  std::int32_t priority = 120;  // the kernel's: 120 + nice, 99 - rt_priority, -1 for a deadline
  std::vector<TraceStep> steps;

  friend bool operator==(const TraceTask&, const TraceTask&) = default;
};

// A recorded workload: what its tasks needed, without what a policy made of them. Runs have no
// preemptions, and wakeups happen at a point of the waker's own work, not at a time.
struct WorkloadTrace {
  std::int64_t span_ns = 0;    // from the start of the recording to the last thing a task did
  std::int32_t cpu_count = 0;  // CPUs of the recorded machine that appear in it
  std::vector<TraceTask> tasks;

  friend bool operator==(const WorkloadTrace&, const WorkloadTrace&) = default;
};

// Sums over the steps of a task, or of all tasks.
struct TraceTotals {
  std::int64_t step_count = 0;
  std::int64_t block_count = 0;  // waits and sleeps
  std::int64_t run_ns = 0;
  std::int64_t sleep_ns = 0;
  std::int64_t wakeup_count = 0;
};
// Requires: Validate(trace) is well.
TraceTotals TotalsOf(const TraceTask& task);
TraceTotals TotalsOf(const WorkloadTrace& trace);

// kInvalidArgument unless `trace` is within its limits (core/limits.h; no task runs and sleeps for
// more than kMaxSimulatedNs) and can end: every wait gets its wakeup, whatever runs first.
Status Validate(const WorkloadTrace& trace);

// The form in which a trace is stored and sent: lines of ASCII, about five bytes a step where times
// are whole microseconds. DecodeWorkloadTrace() gives the same value back. Requires:
// Validate(trace) is well.
std::string EncodeWorkloadTrace(const WorkloadTrace& trace);

// Whether `text` begins as an encoded trace does, of whatever version.
bool IsEncodedWorkloadTrace(std::string_view text);

// A valid trace. kInvalidArgument names the line that is wrong.
Result<WorkloadTrace> DecodeWorkloadTrace(std::string_view text);

}  // namespace schedlab
