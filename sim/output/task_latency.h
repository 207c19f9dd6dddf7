#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// How long a task executed, and waited runnable before it did.
struct TaskLatency {
  std::string name;             // as a kernel keeps it
  std::int32_t thread_id = 0;   // of the first task
  std::int32_t task_count = 1;  // of this name
  SimDuration runtime{0};       // up to the end of the trace
  std::int64_t switch_count = 0;
  SimDuration total_delay{0};
  SimDuration max_delay{0};
  SimTime max_delay_start;
  SimTime max_delay_end;
};

enum class LatencyRows { kByName, kByTask };

// A row for each task that executed, or for each name of such tasks; by mean delay, then largest
// delay, switches and run time, each from the largest.
std::vector<TaskLatency> MeasureLatency(const SimTrace& trace, LatencyRows rows);

}  // namespace schedlab::sim
