#pragma once

#include <cstdint>
#include <stop_token>

#include "client/sim_input.h"
#include "core/result.h"
#include "core/run_result.h"
#include "sim/output/sim_trace.h"

namespace schedlab::client {

struct TracedRun {
  sim::SimTrace trace;
  RunResult result;
};

// Simulates and keeps the first `record_limit` events. The errors are those of sim::Simulate().
Result<TracedRun> RunTraced(const SimInput& input, std::int64_t record_limit, std::stop_token stop);

// Likewise; Ctrl-C ends it with kCancelled.
Result<TracedRun> RunInterruptibly(const SimInput& input, std::int64_t record_limit);

// The same of what `options` name.
Result<TracedRun> RunTraced(const SimRunOptions& options, std::int64_t record_limit);

// Says on stderr how much of the run is missing, if anything is.
void WarnOfLoss(const TracedRun& run);

}  // namespace schedlab::client
