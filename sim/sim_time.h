#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace schedlab::sim {

// A clock without now(): only the event queue knows the simulated time. Its ticks are whole
// nanoseconds, so that no comparison of two times depends on rounding.
struct SimClock {
  using duration = std::chrono::duration<std::int64_t, std::nano>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SimClock>;
  static constexpr bool is_steady = true;  // NOLINT(readability-identifier-naming): the standard's
};

using SimTime = SimClock::time_point;
using SimDuration = SimClock::duration;

inline constexpr SimTime kNever = SimTime::max();

// The bare number of nanoseconds, for arithmetic that is not about time alone.
constexpr std::int64_t Ns(SimDuration duration) { return duration.count(); }
constexpr std::int64_t Ns(SimTime time) { return time.time_since_epoch().count(); }

constexpr SimDuration Nanoseconds(std::int64_t count) { return SimDuration(count); }

}  // namespace schedlab::sim
