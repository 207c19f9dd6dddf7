#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "measure/cache_line.h"
#include "measure/effort.h"
#include "measure/spread.h"
#include "measure/tick.h"

namespace schedlab::measure {

struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Of `gaps`, ascending, those that lie within one of `spans`, ascending and disjoint, but for
// `margin_ns` on either side.
std::vector<Gap> GapsWithin(const std::vector<Gap>& gaps, const std::vector<TimeSpan>& spans,
                            std::int64_t margin_ns);

// What a thread on the second CPU, which reads the clock all the time, loses at an interrupt by the
// first. The interrupts are those of membarrier(2); without that system call nothing is measured.
Result<Spread> MeasureInterrupt(const CpuPair& cpus, const Effort& effort);

}  // namespace schedlab::measure
