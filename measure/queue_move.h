#pragma once

#include "core/result.h"
#include "measure/cache_line.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

// Moving a task that waits in the queue of the first CPU to that of the second, which are both
// busy, beyond the system call that does so and finds nothing to move.
Result<Spread> MeasureQueueMove(const CpuPair& cpus, const Effort& effort);

}  // namespace schedlab::measure
