#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

// Time that a thread lost which did nothing but read the clock.
struct Gap {
  std::int64_t begin_ns = 0;
  std::int64_t length_ns = 0;
};

struct TickTimes {
  Spread tick;           // lost at one tick
  Spread lost_permille;  // of all time: ticks, other interrupts, other tasks, the host
};

// The kernel's tick rate, from the resolution of its coarse clock.
std::int64_t TickHz();

// Reads the clock until `end_ns` and returns the gaps that are longer than that takes.
std::vector<Gap> Watch(std::int64_t end_ns);

// Gaps that another one follows after one period, give or take a hundredth of it.
std::vector<Gap> PeriodicGaps(const std::vector<Gap>& gaps, std::int64_t period_ns);

Result<TickTimes> MeasureTick(std::int32_t cpu, const Effort& effort);

}  // namespace schedlab::measure
