#pragma once

#include <cstddef>

#include "stats/scaled_samples.h"
#include "stats/t_tests.h"

namespace schedlab::stats {

// From so many runs a side on a rank test is asked as well: with fewer it could not reject at the
// levels that a gate over many metrics needs.
inline constexpr std::size_t kFewestRunsForRanks = 8;

bool HasRunsForRanks(const TwoSamples& samples);

// The p-value of "the candidate is `bound` beyond the baseline on the scale, or on the other side
// of that", by Mann and Whitney's or the signed-rank test.
double RankPValue(const ScaledSamples& scaled, double bound, Alternative alternative,
                  bool is_paired);

// The p-value of the t test and, where there are runs enough and it would reject at `level`, the
// rank test's if that does not reject at the same level.
struct GuardedTest {
  const ScaledSamples& scaled;
  const MeanDifference& difference;
  bool is_paired = false;
  double level = 0.05;

  double PValue(double bound, Alternative alternative) const;
};

}  // namespace schedlab::stats
