#include "stats/gate_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.h"
#include "stats/power.h"
#include "stats/variance_history.h"

namespace schedlab::stats {
namespace {

// The default looks, 3, 5, 8 and 12, as shares of the last.
constexpr std::array kShape = {3.0 / 12, 5.0 / 12, 8.0 / 12, 1.0};

double LoneLevel(const GateQuestion& question) {
  return std::min(0.49, question.false_discovery_rate / static_cast<double>(question.metric_count));
}

PowerQuestion AtLevel(const GateQuestion& question, double level) {
  SCHEDLAB_CHECK(question.effect > -1 && question.effect != 0 && question.noise > 0);
  SCHEDLAB_CHECK(question.metric_count >= 1 && question.power > 0 && question.power < 1);
  return {.distance = std::abs(std::log1p(question.effect)),
          .stddev = question.noise,
          .significance = level,
          .power = question.power,
          .is_paired = question.is_paired,
          .history_degrees = std::min(question.history_degrees, kMostHistoryDegrees)};
}

// Of each look, as if it were the only one at the level that the plan gives it.
std::vector<double> PowersAlone(const GateQuestion& question, const LookPlan& plan) {
  std::vector<double> powers;
  for (std::size_t i = 0; i < plan.looks().size(); ++i) {
    const double level = plan.LevelAt(i, LoneLevel(question));
    const bool has_noise = plan.looks()[i] > 1 || question.history_degrees > 0;
    powers.push_back(has_noise && level > 0 ? PowerOf(AtLevel(question, level), plan.looks()[i])
                                            : 0);
  }
  return powers;
}

double FinalPower(const GateQuestion& question, const LookPlan& plan) {
  return plan.PowerByLook(PowersAlone(question, plan)).back();
}

LookPlan ShapedPlan(std::int64_t last) {
  std::vector<std::int64_t> looks;
  for (const double share : kShape) {
    const auto look = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(last)));
    if (looks.empty() || look > looks.back()) looks.push_back(look);
  }
  return *LookPlan::Make(std::move(looks));
}

double ExpectedRuns(const std::vector<std::int64_t>& looks, const std::vector<double>& stopped) {
  double expected = 0;
  double before = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const double stops = i + 1 < looks.size() ? stopped[i] - before : 1 - before;
    expected += static_cast<double>(looks[i]) * stops;
    before = stopped[i];
  }
  return expected;
}

}  // namespace

LookPlan PlanLooks(const GateQuestion& question) {
  LookPlan usual = LookPlan::Default();
  if (FinalPower(question, usual) >= question.power) return usual;
  // The price of looking early is a few percent of the runs, so the search is short.
  std::int64_t too_few = usual.looks().back();
  std::int64_t enough =
      std::min(kMostPlannedRuns, 2 + 2 * RunsNeeded(AtLevel(question, LoneLevel(question))));
  while (enough - too_few > 1) {
    const std::int64_t middle = too_few + (enough - too_few) / 2;
    (FinalPower(question, ShapedPlan(middle)) >= question.power ? enough : too_few) = middle;
  }
  return ShapedPlan(enough);
}

GatePlan PlanGate(const GateQuestion& question, const LookPlan& plan) {
  const double level = LoneLevel(question);
  GatePlan planned{.runs_at_once = RunsNeeded(AtLevel(question, level))};
  planned.power_at_once = PowerOf(AtLevel(question, level), planned.runs_at_once);
  const std::vector<double> power = plan.PowerByLook(PowersAlone(question, plan));
  std::vector<double> levels;
  for (std::size_t i = 0; i < power.size(); ++i) {
    levels.push_back(plan.LevelAt(i, level));
    planned.looks.push_back({.runs = plan.looks()[i], .level = levels.back(), .power = power[i]});
  }
  planned.expected_runs = ExpectedRuns(plan.looks(), power);
  planned.expected_runs_without_change = ExpectedRuns(plan.looks(), plan.PowerByLook(levels));
  return planned;
}

}  // namespace schedlab::stats
