#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "core/workload_trace.h"

namespace schedlab::ingest {

// What a recording held, and how much of it could not be used.
struct RecordingCounts {
  std::int64_t event_count = 0;        // lines that are events
  std::int64_t unread_line_count = 0;  // lines that are not, besides comments and empty ones
  std::int64_t lost_count = 0;         // events that the recording says it lost
  std::int64_t overwritten_count = 0;  // of its beginning, by later ones in a full buffer
  std::int64_t loss_count = 0;         // places at which it says so
  std::int64_t cut_line = 0;  // the last line, where it ends in its middle; 0 = it does not
  // Wakeups of tasks that were not blocked, which change nothing.
  std::int64_t void_wakeup_count = 0;
  // Blocks that end without a recorded wakeup.
  std::int64_t unexplained_wakeup_count = 0;
  // Blocks ended by an interrupt, or by the idle task.
  std::int64_t interrupt_wakeup_count = 0;
  // Places at which another task executes than the switches before say.
  std::int64_t contradiction_count = 0;
};

struct ImportedRecording {
  WorkloadTrace trace;
  RecordingCounts counts;
};

// Reads a recording of sched_switch and sched_waking (or sched_wakeup) events, as text of `perf
// script`, `perf sched script`, an ftrace `trace` file or `trace-cmd report`; which of them, it
// finds out itself. docs/replay.md has the rules. The trace is valid and every wait in it ends.
// A last line without an end that cannot be read is left out and counted: whatever wrote it died.
// kInvalidArgument names the line, or what the text lacks.
Result<ImportedRecording> ImportRecording(std::string_view text);

// The trace that `text` is: an encoded one (core/workload_trace.h), or a recording.
Result<WorkloadTrace> ReadWorkloadTrace(std::string_view text);

}  // namespace schedlab::ingest
