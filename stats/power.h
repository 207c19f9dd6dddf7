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
};

// No plan asks for more runs a side than this: there the answer means "this many or more".
inline constexpr std::int64_t kMostPlannedRuns = 1000;

// The fewest runs a side (pairs, if paired) with which a one-sided t test answers with that power.
// Exact for normal noise (non-central t). At least 2.
std::int64_t RunsNeeded(const PowerQuestion& question);

}  // namespace schedlab::stats
