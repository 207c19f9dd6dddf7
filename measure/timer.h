#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

// How late a thread executes after a timer of its own CPU that nothing else uses: with the slack
// that the kernel gives by default, and with the least that there is.
struct TimerTimes {
  Spread late_by_default;
  Spread late_at_least;
};

Result<TimerTimes> MeasureTimers(std::int32_t cpu, const Effort& effort);

// The slack by default of timers of this process's threads.
std::int64_t TimerSlackNs();

}  // namespace schedlab::measure
