#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/workload_trace.h"
#include "ingest/sched_trace.h"

namespace schedlab::client {

// WorkloadDefinition::document_format of what executes a recorded trace.
inline constexpr std::string_view kTraceDocumentFormat = "trace";

// A recorded trace, and what its import found where it was imported only now.
struct TraceInput {
  WorkloadTrace trace;
  std::optional<ingest::RecordingCounts> counts;
};

// Reads a recording of perf, ftrace or trace-cmd, or an encoded trace; "-" is stdin. kNotFound: no
// such file; kInvalidArgument names the line that is wrong.
Result<TraceInput> ReadTraceInput(const std::string& path);

// Says on stderr where the recording is not what the machine did: events that are missing.
void WarnOfDoubts(const TraceInput& input);

}  // namespace schedlab::client
