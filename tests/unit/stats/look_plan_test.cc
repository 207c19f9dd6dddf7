#include "stats/look_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/crossing.h"
#include "stats/distributions.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

LookPlan Equal(std::int64_t count) {
  std::vector<std::int64_t> looks;
  for (std::int64_t i = 1; i <= count; ++i) looks.push_back(10 * i);
  return *LookPlan::Make(looks);
}

// Lan and DeMets (1983) and the tables of ldbounds/gsDesign for five equally spaced looks at
// one-sided 0.025: bounds of 4.8769, 3.3569, 2.6803, 2.2898 and 2.0310 standard deviations.
TEST(LookPlanTest, ReproducesThePublishedBoundsOfFiveLooks) {
  const std::vector<double> published = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
  const LookPlan plan = Equal(5);

  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_NEAR(-NormalQuantile(plan.LevelAt(i, 0.025)), published[i], 2e-3) << i;
  }
}

TEST(LookPlanTest, OneLookIsThePlainTest) {
  const LookPlan plan = *LookPlan::Make({10});

  EXPECT_NEAR(plan.LevelAt(0, 0.0025), 0.0025, 1e-6);
  EXPECT_NEAR(plan.SequentialPValue(0, 0.01) / 0.01, 1, 1e-6);
  EXPECT_NEAR(plan.SequentialPValue(0, 0.4) / 0.4, 1, 1e-6);
}

TEST(LookPlanTest, SequentialPValueUndoesTheLevel) {
  const LookPlan plan = LookPlan::Default();

  for (std::size_t look = 0; look < plan.looks().size(); ++look) {
    for (const double alpha : {0.3, 0.05, 0.0025, 0.00025, 1e-6}) {
      EXPECT_NEAR(plan.SequentialPValue(look, plan.LevelAt(look, alpha)) / alpha, 1, 1e-6);
    }
  }
}

TEST(LookPlanTest, SequentialPValueGrowsWithThePValueFromZeroToOne) {
  const LookPlan plan = LookPlan::Default();

  EXPECT_EQ(plan.SequentialPValue(0, 0), 0);
  EXPECT_EQ(plan.SequentialPValue(0, 1), 1);
  EXPECT_EQ(plan.SequentialPValue(3, 0.9), 1);
  EXPECT_LT(plan.SequentialPValue(0, 1e-300), 1e-10);
  double before = 0;
  for (double p = 1e-12; p < 1; p *= 1.5) {
    const double sequential = plan.SequentialPValue(2, p);
    EXPECT_GE(sequential, before);
    before = sequential;
  }
}

TEST(LookPlanTest, SpendingEndsAtTheWholeLevel) {
  EXPECT_EQ(SpentSignificance(0.05, 1), 0.05);
  EXPECT_NEAR(SpentSignificance(0.05, 0.25), 2 * NormalUpperTail(2 * 1.959964), 1e-9);
}

// Under no change the looks reject as often as the spending says.
TEST(LookPlanTest, PowerAtTheLevelsOfThePlanIsTheSpentSignificance) {
  const LookPlan plan = LookPlan::Default();
  std::vector<double> levels;
  for (std::size_t i = 0; i < 4; ++i) levels.push_back(plan.LevelAt(i, 0.05));

  const std::vector<double> spent = plan.PowerByLook(levels);

  EXPECT_NEAR(spent[0], SpentSignificance(0.05, 0.25), 1e-6);
  EXPECT_NEAR(spent[2], SpentSignificance(0.05, 8.0 / 12), 1e-4);
  EXPECT_NEAR(spent[3], 0.05, 1e-4);
}

TEST(LookPlanTest, LooksThatAreNoPlanAreRefused) {
  EXPECT_FALSE(LookPlan::Make({}).has_value());
  EXPECT_FALSE(LookPlan::Make({0, 3}).has_value());
  EXPECT_FALSE(LookPlan::Make({3, 3}).has_value());
  EXPECT_FALSE(LookPlan::Make({3, 1'000'001}).has_value());
  EXPECT_FALSE(LookPlan::Make(std::vector<std::int64_t>(13, 1)).has_value());
  EXPECT_NE(LookPlan::Make({5, 3}).error().message.find("after 3 runs"), std::string::npos);
}

// The smallest sequential p-value over all looks, of sums of normal steps.
int CountBelow(const LookPlan& plan, double alpha, int trials) {
  testing::SplitMix random(3);
  int below = 0;
  for (int trial = 0; trial < trials; ++trial) {
    double sum = 0;
    double smallest = 1;
    std::int64_t runs = 0;
    for (std::size_t look = 0; look < plan.looks().size(); ++look) {
      for (; runs < plan.looks()[look]; ++runs) sum += random.Normal();
      const double p = NormalUpperTail(sum / std::sqrt(static_cast<double>(runs)));
      smallest = std::min(smallest, plan.SequentialPValue(look, p));
    }
    if (smallest <= alpha) ++below;
  }
  return below;
}

// 40,000 trials at 5 %: 2,000 with an error of 44; at 0.25 %: 100 with 10.
TEST(LookPlanTest, WhoLooksAtEveryCountErrsAsOftenAsTheLevelSays) {
  EXPECT_NEAR(CountBelow(LookPlan::Default(), 0.05, 40'000), 2'000, 132);
  EXPECT_NEAR(CountBelow(LookPlan::Default(), 0.0025, 40'000), 100, 30);
}

// Of two looks at a process, by the bivariate normal distribution: P(Z1 > 0 or Z2 > 0) is
// 3/4 - asin(rho) / (2 pi).
TEST(CrossingProcessTest, TwoLooksHaveTheClosedFormOfTheQuadrants) {
  constexpr double kPi = 3.141592653589793;
  CrossingProcess process(1);
  const double first = process.ChanceAbove(0);
  process.Advance(0, 4);

  EXPECT_NEAR(first + process.ChanceAbove(0), 0.75 - std::asin(0.5) / (2 * kPi), 1e-9);
}

TEST(CrossingProcessTest, LooksThatAreCloseTogetherAreAsExact) {
  constexpr double kPi = 3.141592653589793;
  CrossingProcess process(100);
  const double first = process.ChanceAbove(0);
  process.Advance(0, 101);

  EXPECT_NEAR(first + process.ChanceAbove(0), 0.75 - std::asin(std::sqrt(100.0 / 101)) / (2 * kPi),
              1e-9);
}

}  // namespace
}  // namespace schedlab::stats
