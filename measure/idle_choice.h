#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/cache_line.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

// A thread of the first CPU, which is busy, wakes one that may run on both and slept on the first:
// how many of the wakeups per mille go to the second CPU, which has been idle for `idle_ns`. All of
// them, unless the kernel does not take an idle CPU for available: that of a virtual machine which
// the host has taken off.
Result<Spread> MeasureIdleChoice(const CpuPair& cpus, std::int64_t idle_ns, const Effort& effort);

}  // namespace schedlab::measure
