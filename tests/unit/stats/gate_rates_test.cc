// The aims of docs/judgement.md in short: `gate_power` measures them at length.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/gate_trial.h"

namespace schedlab::stats {
namespace {

using testing::CountVerdicts;
using testing::GateTrial;
using testing::GateTrialSpec;
using testing::NoiseKind;
using testing::RunGateTrial;

std::vector<double> Changes(std::size_t count, std::size_t changed_count, double change) {
  std::vector<double> changes(count, 0);
  std::fill_n(changes.begin(), changed_count, change);
  return changes;
}

int CountAlarms(const GateTrialSpec& spec, int trials) {
  const LookPlan plan = LookPlan::Default();
  int alarms = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    const GateTrial trial = RunGateTrial(spec, plan, static_cast<std::uint64_t>(seed));
    if (CountVerdicts(trial, Verdict::kWorse) > 0) ++alarms;
  }
  return alarms;
}

// At 5 % of 150: 7.5 with an error of 2.7.
TEST(GateRatesTest, NoChangeInTwentyMetricsRarelyAlarms) {
  for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kLogNormal, NoiseKind::kSpiky}) {
    EXPECT_LE(CountAlarms({.kind = kind, .changes = Changes(20, 0, 0)}, 150), 15) << ToString(kind);
  }
  EXPECT_GE(CountAlarms({.changes = Changes(20, 0, 0)}, 150), 1);
}

// At 5 % of 20: 1.
TEST(GateRatesTest, NoChangeInTwoHundredMetricsRarelyAlarms) {
  for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kSpiky}) {
    EXPECT_LE(CountAlarms({.kind = kind, .changes = Changes(200, 0, 0)}, 20), 4) << ToString(kind);
  }
}

struct Found {
  int count = 0;
  double mean_runs = 0;
};

// Of the first metric of each trial.
Found CountFirst(const GateTrialSpec& spec, const LookPlan& plan, Verdict verdict, int trials) {
  Found found;
  for (int seed = 1; seed <= trials; ++seed) {
    const GateTrial trial = RunGateTrial(spec, plan, static_cast<std::uint64_t>(seed));
    if (trial.result.cells.front().verdict == verdict) ++found.count;
    found.mean_runs += static_cast<double>(trial.runs.front()) / trials;
  }
  return found;
}

// 90 % of 300 are 270 with an error of 5.
TEST(GateRatesTest, FourPercentAmongTwentyMetricsAreFoundWithTenRuns) {
  const GateTrialSpec spec{.changes = Changes(20, 1, 0.04)};

  EXPECT_GE(CountFirst(spec, *LookPlan::Make({10}), Verdict::kWorse, 300).count, 260);
  const Found by_looks = CountFirst(spec, LookPlan::Default(), Verdict::kWorse, 300);
  EXPECT_GE(by_looks.count, 270);
  EXPECT_LE(by_looks.mean_runs, 10.5);
}

TEST(GateRatesTest, ALargeChangeNeedsFewRuns) {
  const Found found =
      CountFirst({.changes = Changes(20, 1, 0.25)}, LookPlan::Default(), Verdict::kWorse, 100);

  EXPECT_EQ(found.count, 100);
  EXPECT_LE(found.mean_runs, 5);
}

TEST(GateRatesTest, EqualSidesAreMostlyShownToBeSo) {
  const Found found = CountFirst({.changes = {0}, .minimum_effect = 0.04}, LookPlan::Default(),
                                 Verdict::kNoChange, 300);

  EXPECT_GE(found.count, 270);
}

// On the bound, no change is claimed in at most 2.5 %: 7.5 of 300 with an error of 2.7.
TEST(GateRatesTest, AChangeOfTheMinimumEffectIsRarelyCalledNone) {
  const Found found = CountFirst({.changes = {0.04}, .minimum_effect = 0.04}, LookPlan::Default(),
                                 Verdict::kNoChange, 300);

  EXPECT_LE(found.count, 15);
}

TEST(GateRatesTest, OfWhatIsCalledWorseAtMostTheRateIsNot) {
  const LookPlan plan = LookPlan::Default();
  double false_share = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const GateTrial trial = RunGateTrial({.changes = Changes(20, 5, 0.04)}, plan, seed);
    const auto begin = trial.result.cells.begin();
    const auto is_worse = [](const CellVerdict& cell) { return cell.verdict == Verdict::kWorse; };
    const auto all = std::count_if(begin, trial.result.cells.end(), is_worse);
    const auto real = std::count_if(begin, begin + 5, is_worse);
    EXPECT_GT(real, 0);
    false_share += static_cast<double>(all - real) / static_cast<double>(all) / 300;
  }

  EXPECT_LE(false_share, 0.06);
}

}  // namespace
}  // namespace schedlab::stats
