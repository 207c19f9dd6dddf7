#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

struct ProcessTimes {
  Spread fork;           // what the parent spends in the system call
  Spread life;           // fork, exit and wait on one CPU, from end to end
  Spread thread_create;  // what the parent spends to start a thread
  Spread thread_life;    // start, end and join on one CPU
};

// Of a process as small as this one, whose child writes to a few pages and exits.
Result<ProcessTimes> MeasureProcesses(std::int32_t cpu, const Effort& effort);

}  // namespace schedlab::measure
