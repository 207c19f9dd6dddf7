#include "stats/variance_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stats/distributions.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::SplitMix;

// Chi^2 of that many degrees over them; whole degrees.
double ChiSquare(SplitMix& random, int degrees) {
  double squares = 0;
  for (int i = 0; i < degrees; ++i) {
    const double normal = random.Normal();
    squares += normal * normal;
  }
  return squares / degrees;
}

// Variances of 4 degrees; the truth is 1, or differs as if known from `prior_degrees`.
std::vector<VarianceEstimate> DrawVariances(int count, int prior_degrees) {
  SplitMix random(1);
  std::vector<VarianceEstimate> drawn;
  for (int i = 0; i < count; ++i) {
    const double truth = prior_degrees > 0 ? 1 / ChiSquare(random, prior_degrees) : 1;
    drawn.push_back({.variance = truth * ChiSquare(random, 4), .degrees_of_freedom = 4});
  }
  return drawn;
}

// Trigamma is pi^2 / 6 at 1 and pi^2 / 2 at 1/2, and each step to the right takes away 1 / x^2.
TEST(TrigammaTest, HasItsClosedFormsAndItsInverse) {
  constexpr double kPi = 3.141592653589793;
  EXPECT_NEAR(Trigamma(1), kPi * kPi / 6, 1e-14);
  EXPECT_NEAR(Trigamma(0.5), kPi * kPi / 2, 1e-13);
  EXPECT_NEAR(Trigamma(3), kPi * kPi / 6 - 1.25, 1e-14);
  EXPECT_NEAR(TrigammaInverse(kPi * kPi / 6), 1, 1e-13);
  EXPECT_NEAR(TrigammaInverse(kPi * kPi / 2), 0.5, 1e-13);
}

TEST(TrigammaTest, InverseHoldsFromTinyToHugeValues) {
  for (double x = 1e-6; x < 1e12; x *= 7) {
    EXPECT_NEAR(TrigammaInverse(Trigamma(x)) / x, 1, 1e-7) << x;
  }
}

// By hand: ln 2 and 0 vary by (ln 2)^2 / 2 with one degree, three alike by 0 with two.
TEST(HistoryOfRunsTest, PoolsTheVariancesOfTheLogarithms) {
  const std::vector<std::vector<double>> evaluations = {{2, 1}, {5, 5, 5}};

  const std::optional<NoiseHistory> history = HistoryOfRuns(evaluations);

  ASSERT_TRUE(history);
  EXPECT_NEAR(history->stddev, std::log(2.0) / std::sqrt(6.0), 1e-15);
  EXPECT_EQ(history->degrees_of_freedom, 3);
}

TEST(HistoryOfRunsTest, WhatTellsNothingIsNoHistory) {
  EXPECT_FALSE(HistoryOfRuns({}));
  EXPECT_FALSE(HistoryOfRuns(std::vector<std::vector<double>>{{7}, {}, {3, 0}, {-1, 2}}));
  EXPECT_FALSE(HistoryOfRuns(std::vector<std::vector<double>>{{7, 7}, {3, 3, 3}}));
}

// Two variances 1 and e^2 of the same degrees: the logarithms 0 and 2 spread by 2 and lie about 1.
TEST(FitVariancePriorTest, SolvesTheMomentsOfTwoVariances) {
  const std::vector<VarianceEstimate> two = {{1, 10}, {std::exp(2.0), 10}};

  const VarianceEstimate prior = FitVariancePrior(two);

  EXPECT_NEAR(Trigamma(prior.degrees_of_freedom / 2), 2 - Trigamma(5), 1e-12);
  const double half = prior.degrees_of_freedom / 2;
  EXPECT_NEAR(std::log(prior.variance),
              1 - (Digamma(5) - std::log(5.0)) + Digamma(half) - std::log(half), 1e-12);
}

TEST(FitVariancePriorTest, EqualVariancesHaveAPriorWithoutSpread) {
  const VarianceEstimate prior = FitVariancePrior(std::vector<VarianceEstimate>(5, {2, 8}));

  EXPECT_EQ(prior.degrees_of_freedom, std::numeric_limits<double>::infinity());
}

TEST(FitVariancePriorTest, FindsTheDegreesThatVariancesWereDrawnWith) {
  const VarianceEstimate prior = FitVariancePrior(DrawVariances(20'000, 8));

  EXPECT_NEAR(prior.degrees_of_freedom, 8, 0.8);
  EXPECT_NEAR(prior.variance, 1, 0.03);
  EXPECT_GT(FitVariancePrior(DrawVariances(20'000, 0)).degrees_of_freedom, 60);
}

TEST(FitVariancePriorTest, AVarianceOfZeroIsLiftedToATrifle) {
  const std::vector<VarianceEstimate> estimates = {{0, 4}, {1, 4}, {1, 4}};

  const VarianceEstimate prior = FitVariancePrior(estimates);

  EXPECT_GT(prior.variance, 0);
  EXPECT_LT(prior.degrees_of_freedom, 1);
}

TEST(PoolHistoryTest, IsPooledAndWorthAtMostTwentyDegrees) {
  const std::vector<VarianceEstimate> two = {{1, 2}, {4, 4}};

  const NoiseHistory history = PoolHistory(two);

  EXPECT_DOUBLE_EQ(history.stddev, std::sqrt(3));
  EXPECT_DOUBLE_EQ(history.degrees_of_freedom, 6);
  EXPECT_EQ(PoolHistory(std::vector<VarianceEstimate>(9, {1, 4})).degrees_of_freedom, 20);
}

TEST(PoolHistoryTest, NoiseThatChangesIsWorthFewerDegrees) {
  EXPECT_LT(PoolHistory(DrawVariances(200, 3)).degrees_of_freedom, 5);
  EXPECT_EQ(PoolHistory(DrawVariances(200, 0)).degrees_of_freedom, 20);
}

std::vector<HistoryCheck> DrawChecks(int count, double noise_today) {
  SplitMix random(7);
  std::vector<HistoryCheck> checks;
  for (int i = 0; i < count; ++i) {
    const double history = ChiSquare(random, 20);
    checks.push_back(
        {.runs = {.variance = noise_today * ChiSquare(random, 8), .degrees_of_freedom = 8},
         .history = {.stddev = std::sqrt(history), .degrees_of_freedom = 20}});
  }
  return checks;
}

TEST(DegreesDeservedTest, AHistoryThatHoldsDeservesAboutItsOwnDegrees) {
  EXPECT_GT(DegreesDeserved(DrawChecks(2'000, 1)), 14);
}

TEST(DegreesDeservedTest, NoiseThatDoubledSinceDeservesLittle) {
  EXPECT_LT(DegreesDeserved(DrawChecks(2'000, 4)), 2);
  EXPECT_LT(DegreesDeserved(DrawChecks(2'000, 0.25)), 2);
}

TEST(DegreesDeservedTest, FewerThanTenCellsTellNothing) {
  EXPECT_EQ(DegreesDeserved(DrawChecks(9, 100)), kMostHistoryDegrees);
  EXPECT_LT(DegreesDeserved(DrawChecks(10, 100)), 1);
}

}  // namespace
}  // namespace schedlab::stats
