#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

struct ProcessTimes {
  Spread fork;           // what the parent spends in the system call
  Spread life;           // fork, exit and wait on one CPU, from end to end
  Spread exit;           // of that, from the child's last statement until the parent has waited
  Spread thread_create;  // what the parent spends to start a thread
  Spread thread_life;    // start, end and join on one CPU
  Spread thread_exit;    // of that, from the thread's last statement until it is joined
};

// Of a process as small as this one, whose child writes to a few pages and exits. kInternal where
// the two cannot share a page.
Result<ProcessTimes> MeasureProcesses(std::int32_t cpu, const Effort& effort);

}  // namespace schedlab::measure
