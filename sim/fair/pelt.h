#pragma once

#include <cstdint>

#include "sim/task.h"

namespace schedlab::sim::fair {

// Per-entity load tracking: time in segments of 1024 us, each worth y times the one after it, with
// y^32 = 1/2. Integers only.
inline constexpr std::int64_t kPeltSegment = 1024;

// `value` after `periods` whole segments.
std::int64_t DecayLoad(std::int64_t value, std::int64_t periods);

// What `periods` whole segments before the current one add up to, in microseconds.
std::int64_t DecayedSegments(std::int64_t periods);

// Brings the averages of `entity` to `now`; it was runnable or not for all of the time since the
// last call. Its load follows only when a segment ends.
void UpdateAverages(FairEntity& entity, SimTime now, bool was_runnable);

// A new task counts as if it had always been runnable.
void InitAverages(FairEntity& entity, SimTime now, SimDuration slice);

// What an entity or a queue has been doing since its averages were brought up to date.
struct Activity {
  std::int64_t load = 0;  // the weight of what was queued
  std::int64_t runnable_count = 0;
  bool is_running = false;
};

// `sum` by what the sums of something that was always active come to when so much of a segment has
// passed.
std::int64_t AverageOfSum(std::int64_t sum, std::int64_t segment_used);

// Whether the averages themselves, and not only their sums, change up to `now`.
inline bool EndsSegment(const FairAverages& averages, SimTime now) {
  return Ns(now - averages.updated) >> 10 >= kPeltSegment - averages.segment_used;
}
void Advance(FairAverages& averages, SimTime now, const Activity& activity);

// Makes the averages those of a task of `weight` that has always been runnable, and of a given use
// of its CPU.
void SetFull(FairAverages& averages, SimTime now, std::int64_t weight, std::int64_t util);

// `part` joins or leaves what `whole` averages. Requires: both are up to date.
void Attach(FairAverages& whole, FairAverages& part, bool with_load);
void Detach(FairAverages& whole, const FairAverages& part, bool with_load);

}  // namespace schedlab::sim::fair
