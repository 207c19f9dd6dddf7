#include "stats/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stats/distributions.h"
#include "stats/rank_distributions.h"

namespace schedlab::stats {
namespace {

Alternative Mirrored(Alternative alternative) {
  switch (alternative) {
    case Alternative::kDifferent:
      return Alternative::kDifferent;
    case Alternative::kGreater:
      return Alternative::kLess;
    case Alternative::kLess:
      return Alternative::kGreater;
  }
  return alternative;
}

// From the counts of a statistic's values to the chance of one at least as far out as observed.
double ExactPValue(const std::vector<double>& ways, std::size_t observed, Alternative alternative) {
  double all = 0;
  double at_most = 0;
  double at_least = 0;
  for (std::size_t value = 0; value < ways.size(); ++value) {
    all += ways[value];
    if (value <= observed) at_most += ways[value];
    if (value >= observed) at_least += ways[value];
  }
  switch (alternative) {
    case Alternative::kGreater:
      return at_least / all;
    case Alternative::kLess:
      return at_most / all;
    case Alternative::kDifferent:
      return std::min(1.0, 2 * std::min(at_least, at_most) / all);
  }
  return 1;
}

// With the continuity correction of half a step.
double NormalPValue(double deviation, double stddev, Alternative alternative) {
  if (!(stddev > 0)) return 1;
  switch (alternative) {
    case Alternative::kGreater:
      return NormalUpperTail((deviation - 0.5) / stddev);
    case Alternative::kLess:
      return NormalUpperTail((-deviation - 0.5) / stddev);
    case Alternative::kDifferent:
      return std::min(1.0, 2 * NormalUpperTail((std::abs(deviation) - 0.5) / stddev));
  }
  return 1;
}

std::size_t SumOf(const std::vector<std::size_t>& ranks, std::size_t begin, std::size_t end) {
  std::size_t sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += ranks[i];
  return sum;
}

}  // namespace

Result<RankTest> MannWhitney(const TwoSamples& samples, Alternative alternative) {
  if (const Status status = CheckSides(samples); !status) return Fail(status.error());
  const std::size_t candidate_count = samples.candidate.size();
  const std::size_t baseline_count = samples.baseline.size();
  std::vector<double> values(samples.candidate.begin(), samples.candidate.end());
  values.insert(values.end(), samples.baseline.begin(), samples.baseline.end());
  const Ranks ranks = RankOf(values);
  const std::size_t candidate_sum = SumOf(ranks.doubled, 0, candidate_count);

  RankTest test;
  const auto m = static_cast<double>(baseline_count);
  const auto n = static_cast<double>(candidate_count);
  test.statistic = static_cast<double>(candidate_sum) / 2 - n * (n + 1) / 2;
  test.is_exact = baseline_count * candidate_count <= kExactPairCount;
  if (!test.is_exact) {
    test.p_value =
        NormalPValue(test.statistic - m * n / 2, StddevOfU(m, n, ranks.tie_term), alternative);
  } else if (candidate_count <= baseline_count) {
    test.p_value =
        ExactPValue(CountSums(ranks.doubled, candidate_count), candidate_sum, alternative);
  } else {
    // The smaller side has by far fewer sums to count.
    const std::size_t baseline_sum = SumOf(ranks.doubled, candidate_count, values.size());
    test.p_value =
        ExactPValue(CountSums(ranks.doubled, baseline_count), baseline_sum, Mirrored(alternative));
  }
  return test;
}

Result<RankTest> SignedRank(const TwoSamples& pairs, Alternative alternative) {
  if (const Status status = CheckPairs(pairs); !status) return Fail(status.error());
  std::vector<double> sizes;
  std::vector<bool> is_positive;
  for (std::size_t i = 0; i < pairs.baseline.size(); ++i) {
    const double difference = pairs.candidate[i] - pairs.baseline[i];
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    is_positive.push_back(difference > 0);
  }
  const Ranks ranks = RankOf(sizes);
  std::size_t positive_sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (is_positive[i]) positive_sum += ranks.doubled[i];
  }

  RankTest test;
  test.statistic = static_cast<double>(positive_sum) / 2;
  test.is_exact = sizes.size() <= kExactDifferenceCount;
  if (test.is_exact) {
    test.p_value = ExactPValue(CountSignedSums(ranks.doubled), positive_sum, alternative);
  } else {
    const auto n = static_cast<double>(sizes.size());
    test.p_value = NormalPValue(test.statistic - n * (n + 1) / 4,
                                StddevOfSignedRank(n, ranks.tie_term), alternative);
  }
  return test;
}

}  // namespace schedlab::stats
