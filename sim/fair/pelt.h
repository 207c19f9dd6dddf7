#pragma once

#include <cstdint>

#include "sim/task.h"

namespace schedlab::sim::fair {

// Per-entity load tracking: time in segments of 1024 us, each worth y times the one after it, with
// y^32 = 1/2. Integers only.

// `value` after `periods` whole segments.
std::int64_t DecayLoad(std::int64_t value, std::int64_t periods);

// What `periods` whole segments before the current one add up to, in microseconds.
std::int64_t DecayedSegments(std::int64_t periods);

// Brings the averages of `entity` to `now`; it was runnable or not for all of the time since the
// last call. Its load follows only when a segment ends.
void UpdateAverages(FairEntity& entity, SimTime now, bool was_runnable);

// A new task counts as if it had always been runnable.
void InitAverages(FairEntity& entity, SimTime now, SimDuration slice);

}  // namespace schedlab::sim::fair
