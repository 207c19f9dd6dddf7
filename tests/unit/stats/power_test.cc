#include "stats/power.h"

#include <gtest/gtest.h>

#include <cmath>

namespace schedlab::stats {
namespace {

std::int64_t RunsFor(double change, double noise, double significance) {
  return RunsNeeded(
      {.distance = std::log1p(change), .stddev = noise, .significance = significance});
}

// Guenther (1981): n = 2 (z_significance + z_power)^2 / d^2 + z_significance^2 / 4, which is within
// 1 of the exact count; 17.80 and 69.19 for effects of 1 and 0.5 standard deviations.
TEST(RunsNeededTest, AgreesWithTheNormalApproximation) {
  EXPECT_EQ(RunsNeeded({.distance = 1, .stddev = 1}), 18);
  EXPECT_EQ(RunsNeeded({.distance = 0.5, .stddev = 1}), 70);
}

TEST(RunsNeededTest, PlansAFourPercentChangeAtTypicalNoise) {
  EXPECT_EQ(RunsFor(0.04, 0.005, 0.05), 2);
  EXPECT_EQ(RunsFor(0.04, 0.01, 0.05), 3);
  EXPECT_EQ(RunsFor(0.04, 0.02, 0.05), 6);
  EXPECT_EQ(RunsFor(0.04, 0.02, 0.0025), 11);
  EXPECT_EQ(RunsFor(0.04, 0.02, 0.00025), 15);
  EXPECT_EQ(RunsFor(0.04, 0.04, 0.05), 19);
}

TEST(RunsNeededTest, NoNoiseNeedsTwoRunsAndNoEndOfNoiseTheLimit) {
  EXPECT_EQ(RunsNeeded({.distance = 1e-3, .stddev = 0}), 2);
  EXPECT_EQ(RunsNeeded({.distance = 1e-6, .stddev = 1}), kMostPlannedRuns);
  EXPECT_EQ(RunsNeeded({.distance = 1e6, .stddev = 1, .significance = 1e-4}), 2);
}

// For pairs n = (z_significance + z_power)^2 / d^2 + z_significance^2 / 2 = 35.6.
TEST(RunsNeededTest, PairsNeedHalfAsManyForTheSameNoiseOfADifference) {
  EXPECT_EQ(RunsNeeded({.distance = 0.5, .stddev = 1, .is_paired = true}), 36);
}

}  // namespace
}  // namespace schedlab::stats
