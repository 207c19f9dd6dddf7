#include "stats/outlying_runs.h"

#include <gtest/gtest.h>

#include <vector>

namespace schedlab::stats {
namespace {

constexpr NoiseHistory kHistory{.stddev = 1, .degrees_of_freedom = 20};

TEST(FindOutlyingRunsTest, AHistoryTellsFromThreeRunsOn) {
  const std::vector<double> baseline = {10, 11, 9};
  const std::vector<double> candidate = {20, 21, 25.5};

  const OutlyingRuns outlying =
      FindOutlyingRuns({.baseline = baseline, .candidate = candidate}, kHistory);

  EXPECT_EQ(outlying, (OutlyingRuns{.baseline = {}, .candidate = {2}}));
}

TEST(FindOutlyingRunsTest, AStepBetweenTheSidesIsNoOutlier) {
  const std::vector<double> baseline = {10, 11, 9};
  const std::vector<double> candidate = {200, 201, 199};

  EXPECT_EQ(FindOutlyingRuns({.baseline = baseline, .candidate = candidate}, kHistory),
            OutlyingRuns{});
}

TEST(FindOutlyingRunsTest, WithoutAHistoryTenRunsTellTheirSpread) {
  const std::vector<double> baseline = {10, 11, 9, 12, 8};
  const std::vector<double> candidate = {10, 11, 9, 12, 40};
  const std::vector<double> shorter = {10, 11, 40};

  EXPECT_EQ(FindOutlyingRuns({.baseline = baseline, .candidate = candidate}, std::nullopt),
            (OutlyingRuns{.baseline = {}, .candidate = {4}}));
  EXPECT_EQ(FindOutlyingRuns({.baseline = baseline, .candidate = shorter}, std::nullopt),
            OutlyingRuns{});
}

TEST(FindOutlyingRunsTest, NoiseAboveItsHistoryIsNoneOfOutliers) {
  const std::vector<double> baseline = {0, 10, -10, 5, -5};
  const std::vector<double> candidate = {0, 9, -9, 6, -6};

  EXPECT_EQ(FindOutlyingRuns({.baseline = baseline, .candidate = candidate}, kHistory),
            OutlyingRuns{});
}

TEST(FindOutlyingRunsTest, WithoutAnySpreadNothingStandsApart) {
  const std::vector<double> baseline = {7, 7, 7, 7, 7};
  const std::vector<double> candidate = {7, 7, 7, 7, 8};

  EXPECT_EQ(FindOutlyingRuns({.baseline = baseline, .candidate = candidate}, std::nullopt),
            OutlyingRuns{});
}

// Each run differs from the others by far more than the noise within the pairs.
TEST(FindOutlyingPairsTest, ADifferenceFlagsBothRunsOfItsPair) {
  const std::vector<double> baseline = {100, 200, 300, 400, 500};
  const std::vector<double> candidate = {101, 201.5, 300.5, 450, 501};
  const std::vector<double> sound = {101, 201.5, 300.5, 401.2, 501};

  EXPECT_EQ(FindOutlyingPairs({.baseline = baseline, .candidate = candidate}, std::nullopt),
            (OutlyingRuns{.baseline = {3}, .candidate = {3}}));
  EXPECT_EQ(FindOutlyingPairs({.baseline = baseline, .candidate = sound}, std::nullopt),
            OutlyingRuns{});
}

}  // namespace
}  // namespace schedlab::stats
