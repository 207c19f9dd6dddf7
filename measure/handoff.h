#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

enum class Sides { kThreads, kProcesses };

// Two tasks on one CPU that pass a byte to and fro through pipes: each hand-over is a write, a
// wakeup, a read that has to wait and a switch.
Result<Spread> MeasureHandoff(std::int32_t cpu, Sides sides, const Effort& effort);

}  // namespace schedlab::measure
