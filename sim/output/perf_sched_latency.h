#pragma once

#include <string>
#include <vector>

#include "sim/output/task_latency.h"

namespace schedlab::sim {

// The table of `perf sched latency` of perf 6.1. Where the trace was cut, a last line says so, as
// perf's does of lost events.
std::string PerfSchedLatency(const SimTrace& trace, const std::vector<TaskLatency>& rows);

}  // namespace schedlab::sim
