#pragma once

#include "core/result.h"
#include "stats/two_samples.h"

namespace schedlab::stats {

struct RankTest {
  // Mann-Whitney: U of the candidate, the pairs in which it is greater, ties counting half.
  // Signed rank: the sum of the ranks of the positive differences.
  double statistic = 0;
  double p_value = 1;
  bool is_exact = false;  // otherwise by the normal approximation, corrected for ties
};

// Exact given the ties while the product of the two counts is at most 400 (20 + 20 runs).
// kInvalidArgument for an empty side or a value that is not finite.
Result<RankTest> MannWhitney(const TwoSamples& samples, Alternative alternative);

// Of candidate[i] - baseline[i]; pairs without a difference are dropped, as Wilcoxon did. Exact for
// up to 50 differences. kInvalidArgument for sides of unequal count or not finite.
Result<RankTest> SignedRank(const TwoSamples& pairs, Alternative alternative);

}  // namespace schedlab::stats
