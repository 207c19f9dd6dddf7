#include "stats/hodges_lehmann.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

std::vector<double> SortedDifferences(const std::vector<double>& baseline,
                                      const std::vector<double>& candidate) {
  std::vector<double> differences;
  for (const double b : baseline) {
    for (const double c : candidate) differences.push_back(c - b);
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

double MedianOfAllDifferences(const std::vector<double>& baseline,
                              const std::vector<double>& candidate) {
  const std::vector<double> differences = SortedDifferences(baseline, candidate);
  const std::size_t middle = differences.size() / 2;
  if (differences.size() % 2 == 1) return differences[middle];
  return differences[middle - 1] + (differences[middle] - differences[middle - 1]) / 2;
}

std::vector<double> NormalRuns(SplitMix& random, std::size_t count, double mean) {
  std::vector<double> runs;
  for (std::size_t i = 0; i < count; ++i) runs.push_back(mean + random.Normal());
  return runs;
}

// The trials whose shift is not the median of the differences listed and sorted.
std::vector<int> TrialsThatDisagree(int trials) {
  SplitMix random(5);
  std::vector<int> disagreeing;
  for (int trial = 0; trial < trials; ++trial) {
    auto baseline = NormalRuns(random, 1 + random.Below(12), 0);
    auto candidate = NormalRuns(random, 1 + random.Below(12), 1);
    // Ties and a difference of exactly 0 among them.
    if (trial % 3 == 0) candidate.front() = baseline.front();
    if (trial % 5 == 0) candidate.back() = candidate.front();
    const double shift = HodgesLehmannShift({.baseline = baseline, .candidate = candidate});
    if (shift != MedianOfAllDifferences(baseline, candidate)) disagreeing.push_back(trial);
  }
  return disagreeing;
}

TEST(HodgesLehmannTest, IsTheMedianOfAllDifferences) {
  EXPECT_EQ(TrialsThatDisagree(200), std::vector<int>{});
}

TEST(HodgesLehmannTest, FollowsAShiftAndAScaleOfTheCandidate) {
  const std::vector<double> baseline = {1, 2, 4, 8};
  const std::vector<double> candidate = {3, 5, 9, 17};
  const std::vector<double> moved = {103, 105, 109, 117};
  const std::vector<double> doubled_baseline = {2, 4, 8, 16};
  const std::vector<double> doubled = {6, 10, 18, 34};
  const double shift = HodgesLehmannShift({.baseline = baseline, .candidate = candidate});

  EXPECT_DOUBLE_EQ(HodgesLehmannShift({.baseline = baseline, .candidate = moved}), shift + 100);
  EXPECT_DOUBLE_EQ(HodgesLehmannShift({.baseline = doubled_baseline, .candidate = doubled}),
                   2 * shift);
}

TEST(HodgesLehmannTest, OneWildRunOfFiveMovesItLittle) {
  const std::vector<double> baseline = {10, 11, 12, 13, 14};
  const std::vector<double> candidate = {10, 11, 12, 13, 1e9};

  EXPECT_LE(HodgesLehmannShift({.baseline = baseline, .candidate = candidate}), 1);
}

// Of 5 + 5 runs the 95 % interval lies between the 3rd of the 25 differences and the 3rd from
// above: P(U <= 2) = 4 / 252, so that its level is 1 - 8 / 252.
TEST(HodgesLehmannTest, IntervalHasTheExactLevelOfItsRanks) {
  const std::vector<double> baseline = {0, 0.1, 0.23, 0.37, 0.59};
  const std::vector<double> candidate = {1, 1.19, 1.38, 1.71, 1.97};
  const std::vector<double> differences = SortedDifferences(baseline, candidate);

  const Shift shift = *HodgesLehmann({.baseline = baseline, .candidate = candidate}, 0.95);

  EXPECT_DOUBLE_EQ(shift.confidence_level, 1 - 8.0 / 252);
  EXPECT_EQ(shift.interval, (Interval{.low = differences[2], .high = differences[22]}));
}

TEST(HodgesLehmannTest, TooFewRunsGiveTheLevelTheyReach) {
  const std::vector<double> baseline = {1, 2, 3};
  const std::vector<double> candidate = {4, 5, 6};

  EXPECT_DOUBLE_EQ(
      HodgesLehmann({.baseline = baseline, .candidate = candidate}, 0.95)->confidence_level, 0.9);
}

int CountCovered(std::size_t run_count, int trials) {
  int covered = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    SplitMix random(static_cast<std::uint64_t>(seed));
    const auto baseline = NormalRuns(random, run_count, 0);
    const auto candidate = NormalRuns(random, run_count, 0.7);
    const Shift shift = *HodgesLehmann({.baseline = baseline, .candidate = candidate}, 0.9);
    if (shift.interval.low <= 0.7 && 0.7 <= shift.interval.high) ++covered;
  }
  return covered;
}

// 2,000 trials: the standard error of a share of 90 % is 0.7 points.
TEST(HodgesLehmannTest, IntervalCoversTheTrueShiftAsOftenAsItSays) {
  EXPECT_GE(CountCovered(6, 2000), 1760);
  EXPECT_GE(CountCovered(25, 2000), 1760);
  EXPECT_LE(CountCovered(25, 2000), 1840);
}

// Hollander and Wolfe (1973), table 3.1: the depression scores of nine patients before and after a
// tranquilliser; the estimate is -0.46 with 96.1 % in [-0.786, -0.010].
TEST(HodgesLehmannTest, PairsReproduceAPublishedExample) {
  const std::vector<double> before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

  const Shift shift = *HodgesLehmannOfPairs({.baseline = before, .candidate = after}, 0.96);

  EXPECT_NEAR(shift.estimate, -0.46, 5e-4);
  EXPECT_NEAR(shift.interval.low, -0.786, 5e-4);
  EXPECT_NEAR(shift.interval.high, -0.010, 5e-4);
  EXPECT_NEAR(shift.confidence_level, 0.961, 5e-4);
}

}  // namespace
}  // namespace schedlab::stats
