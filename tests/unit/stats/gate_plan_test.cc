#include "stats/gate_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/power.h"
#include "tests/support/gate_trial.h"

namespace schedlab::stats {
namespace {

GateQuestion FourPercent(std::int64_t metric_count, double history_degrees) {
  return {.effect = 0.04,
          .noise = 0.02,
          .metric_count = metric_count,
          .history_degrees = history_degrees};
}

TEST(PlanGateTest, FourPercentNeedTheRunsOfThePlanningTable) {
  const LookPlan plan = LookPlan::Default();

  EXPECT_EQ(PlanGate(FourPercent(1, 0), plan).runs_at_once, 6);
  EXPECT_EQ(PlanGate(FourPercent(1, 20), plan).runs_at_once, 5);
  EXPECT_EQ(PlanGate(FourPercent(20, 0), plan).runs_at_once, 11);
  EXPECT_EQ(PlanGate(FourPercent(20, 20), plan).runs_at_once, 10);
  EXPECT_EQ(PlanGate(FourPercent(200, 20), plan).runs_at_once, 14);
  // However long the history is.
  EXPECT_EQ(PlanGate(FourPercent(200, 1'000), plan).runs_at_once, 14);
}

TEST(PlanGateTest, LooksGainPowerAndEndAboveTheQuestion) {
  const GatePlan plan = PlanGate(FourPercent(20, 20), LookPlan::Default());

  ASSERT_EQ(plan.looks.size(), 4U);
  EXPECT_LT(plan.looks[1].power, plan.looks[2].power);
  EXPECT_GT(plan.looks[3].power, 0.95);
  EXPECT_LT(plan.looks[2].level, plan.looks[3].level);
  EXPECT_LT(plan.expected_runs, 10.5);
  EXPECT_NEAR(plan.expected_runs_without_change, 12, 0.1);
}

TEST(PlanLooksTest, KeepsTheUsualLooksWhereTheyAreEnoughAndElseTheirShape) {
  EXPECT_EQ(PlanLooks(FourPercent(20, 20)).looks(), (std::vector<std::int64_t>{3, 5, 8, 12}));
  const GateQuestion small{.effect = 0.02, .noise = 0.02, .metric_count = 20};

  const LookPlan longer = PlanLooks(small);
  const GatePlan plan = PlanGate(small, longer);

  EXPECT_GE(plan.looks.back().power, 0.9);
  EXPECT_NEAR(
      static_cast<double>(longer.looks().front()) / static_cast<double>(longer.looks().back()),
      0.25, 0.03);
  EXPECT_LE(longer.looks().back(), plan.runs_at_once + 4);
}

TEST(PlanGateTest, ALossNeedsAsManyRunsAsTheGainThatUndoesIt) {
  GateQuestion loss = FourPercent(20, 20);
  loss.effect = 1 / 1.04 - 1;

  EXPECT_EQ(PlanGate(loss, LookPlan::Default()).runs_at_once, 10);
}

// 400 trials: an error of 1.2 to 2.5 points.
TEST(PlanGateTest, PromisesWhatTheGateThenDoes) {
  const LookPlan looks = LookPlan::Default();
  const GatePlan plan = PlanGate(FourPercent(20, 20), looks);
  std::vector<double> changes(20, 0);
  changes[0] = 0.04;
  int found = 0;
  double runs = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const testing::GateTrial trial = testing::RunGateTrial({.changes = changes}, looks, seed);
    if (trial.result.cells[0].verdict == Verdict::kWorse) ++found;
    runs += static_cast<double>(trial.runs[0]) / 400;
  }

  EXPECT_NEAR(found / 400.0, plan.looks.back().power, 0.04);
  EXPECT_NEAR(runs, plan.expected_runs, 0.4);
}

TEST(PowerOfTest, AHistoryIsWorthItsDegrees) {
  const PowerQuestion question{.distance = 0.04, .stddev = 0.02, .significance = 0.0025};
  PowerQuestion with_history = question;
  with_history.history_degrees = 20;

  EXPECT_LT(PowerOf(question, 10), 0.9);
  EXPECT_GT(PowerOf(with_history, 10), 0.9);
  EXPECT_GT(PowerOf(with_history, 1), 0.01);
}

}  // namespace
}  // namespace schedlab::stats
