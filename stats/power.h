#pragma once

#include <cstdint>

namespace schedlab::stats {

// A question to plan runs for, on the scale of the test.
struct PowerQuestion {
  double distance = 0;         // between the truth and what it is tested against; > 0
  double stddev = 0;           // of one run, or of one difference of a pair; >= 0
  double significance = 0.05;  // one-sided
  double power = 0.9;
  bool is_paired = false;
  // Of a history of that same noise, pooled with that of the runs (see NoiseHistory).
  double history_degrees = 0;
};

// No plan asks for more runs a side than this: there the answer means "this many or more".
inline constexpr std::int64_t kMostPlannedRuns = 1000;

// The chance that a one-sided t test of so many runs a side (pairs, if paired) answers; exact for
// normal noise (non-central t). Of `power` the question needs none. Requires: enough runs or
// history for a degree of freedom.
double PowerOf(const PowerQuestion& question, std::int64_t run_count);

// The fewest runs a side (pairs, if paired) with which that test answers with `power`. At least
// 2.
std::int64_t RunsNeeded(const PowerQuestion& question);

}  // namespace schedlab::stats
