#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

struct CpuPair {
  std::int32_t first = 0;
  std::int32_t second = 0;
};

// What a migrated task has to fetch again, "its full footprint": its stacks and structures.
inline constexpr std::int64_t kFootprintBytes = 16 * 1024;

// A cache line that two CPUs write in turn: one way.
Result<Spread> MeasureLineTransfer(const CpuPair& cpus, const Effort& effort);

// A lock that nobody else uses, taken and released.
Result<Spread> MeasureFreeLock(std::int32_t cpu, const Effort& effort);

// The same lock, handed over in turn: one hand-over.
Result<Spread> MeasureContendedLock(const CpuPair& cpus, const Effort& effort);

// Writing to kFootprintBytes that the other CPU has written last, beyond doing so again.
Result<Spread> MeasureRefill(const CpuPair& cpus, const Effort& effort);

}  // namespace schedlab::measure
