#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/cache_line.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

// One reading of the monotonic clock.
Result<Spread> MeasureClockRead(std::int32_t cpu, const Effort& effort);

// The shortest system call, getppid(2).
Result<Spread> MeasureSystemCall(std::int32_t cpu, const Effort& effort);

// sched_yield(2) of a task that is alone on its CPU.
Result<Spread> MeasureYield(std::int32_t cpu, const Effort& effort);

// A million dependent multiplications and additions: how fast the CPU computes.
Result<Spread> MeasureLoop(std::int32_t cpu, const Effort& effort);

// What the loop loses per mille while the other CPU, a thread of the same core, does the same.
Result<Spread> MeasureSiblingSlowdown(const CpuPair& cpus, const Effort& effort);

}  // namespace schedlab::measure
