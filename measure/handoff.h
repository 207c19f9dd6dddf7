#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

enum class Sides { kThreads, kProcesses };

struct HandoffSetting {
  Sides sides = Sides::kThreads;
  std::int32_t member_count = 2;  // at least 2
};

// Tasks on one CPU that pass a byte around through pipes, each to the next, the last to the first:
// each hand-over is a write, a wakeup, a read that has to wait and a switch to the task that has
// not executed for the longest.
Result<Spread> MeasureHandoff(std::int32_t cpu, const HandoffSetting& setting,
                              const Effort& effort);

}  // namespace schedlab::measure
