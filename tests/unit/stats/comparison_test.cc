#include "stats/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/gate.h"
#include "stats/power.h"
#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

using testing::MakeRuns;
using testing::NoiseKind;
using testing::NoiseStream;

CellVerdict JudgeAlone(const ComparisonInput& input) {
  return JudgeOnce(std::vector<GateCell>{{.input = input}}, 0.05)->cells.front();
}

std::vector<CellVerdict> JudgeAll(const std::vector<ComparisonInput>& inputs) {
  std::vector<GateCell> cells;
  for (const ComparisonInput& input : inputs) cells.push_back({.input = input});
  return JudgeOnce(cells, 0.05)->cells;
}

void Scale(std::vector<double>& samples, double factor) {
  for (double& value : samples) value *= factor;
}

ComparisonInput WithDirection(ComparisonInput input, Direction direction) {
  input.direction = direction;
  return input;
}

class SlowdownTest : public ::testing::Test {
 protected:
  // Files per second: 25 % less, with a spread of about 2 %.
  ComparisonInput input_{.baseline = {1000, 1021, 984, 1010, 992},
                         .candidate = {751, 760, 738, 749, 765},
                         .direction = Direction::kHigherIsBetter,
                         .minimum_effect = 0.03};
};

TEST_F(SlowdownTest, IsWorseWhereHigherIsBetter) {
  const Comparison comparison = *Compare(input_);

  EXPECT_EQ(JudgeAlone(input_).verdict, Verdict::kWorse);
  EXPECT_NEAR(comparison.relative_change, -0.25, 0.01);
  EXPECT_LT(comparison.interval->low, comparison.relative_change);
  EXPECT_GT(comparison.interval->high, comparison.relative_change);
  EXPECT_LT(comparison.interval->high, -0.2);
  EXPECT_LT(comparison.p_worse, 1e-6);
  EXPECT_GT(comparison.p_better, 0.999);
  EXPECT_LT(*comparison.effect_in_sd, -10);
}

TEST_F(SlowdownTest, IsBetterWhereLowerIsBetter) {
  const ComparisonInput input = WithDirection(input_, Direction::kLowerIsBetter);

  EXPECT_EQ(JudgeAlone(input).verdict, Verdict::kBetter);
}

TEST_F(SlowdownTest, OrderOfTheRunsDoesNotMatter) {
  const Comparison comparison = *Compare(input_);
  std::reverse(input_.baseline.begin(), input_.baseline.end());
  std::rotate(input_.candidate.begin(), input_.candidate.begin() + 2, input_.candidate.end());

  const Comparison permuted = *Compare(input_);

  EXPECT_DOUBLE_EQ(permuted.relative_change, comparison.relative_change);
  EXPECT_NEAR(permuted.p_worse / comparison.p_worse, 1, 1e-9);
}

TEST_F(SlowdownTest, UnitOfTheMetricDoesNotMatter) {
  const Comparison comparison = *Compare(input_);
  Scale(input_.baseline, 1e-9);
  Scale(input_.candidate, 1e-9);

  const Comparison scaled = *Compare(input_);

  EXPECT_NEAR(scaled.relative_change, comparison.relative_change, 1e-12);
  EXPECT_NEAR(scaled.p_worse / comparison.p_worse, 1, 1e-9);
}

TEST_F(SlowdownTest, ExchangedSidesInvertTheRatio) {
  const Comparison comparison = *Compare(input_);
  std::swap(input_.baseline, input_.candidate);

  const Comparison exchanged = *Compare(input_);

  EXPECT_NEAR((1 + exchanged.relative_change) * (1 + comparison.relative_change), 1, 1e-12);
  EXPECT_EQ(JudgeAlone(input_).verdict, Verdict::kBetter);
}

TEST(CompareTest, EqualConstantsAreNoChange) {
  const ComparisonInput comparison_input = {
      .baseline = {7, 7, 7}, .candidate = {7, 7, 7}, .minimum_effect = 0.01};
  const Comparison comparison = *Compare(comparison_input);

  EXPECT_EQ(JudgeAlone(comparison_input).verdict, Verdict::kNoChange);
  EXPECT_EQ(comparison.relative_change, 0);
  EXPECT_FALSE(comparison.effect_in_sd.has_value());
}

TEST(CompareTest, ConstantsAreComparedExactlyWithTheFloor) {
  const auto verdict_at = [](double candidate) {
    return JudgeAlone({.baseline = {100, 100, 100},
                       .candidate = {candidate, candidate, candidate},
                       .direction = Direction::kLowerIsBetter,
                       .minimum_effect = 0.03})
        .verdict;
  };

  EXPECT_EQ(verdict_at(102.999), Verdict::kNoChange);
  EXPECT_EQ(verdict_at(103), Verdict::kNoChange);
  EXPECT_EQ(verdict_at(103.001), Verdict::kWorse);
  EXPECT_EQ(verdict_at(97), Verdict::kNoChange);
  EXPECT_EQ(verdict_at(96.999), Verdict::kBetter);
}

TEST(CompareTest, OneRunASideIsUndecided) {
  const ComparisonInput comparison_input = {.baseline = {100}, .candidate = {50}};
  const Comparison comparison = *Compare(comparison_input);

  const CellVerdict judgement = JudgeAlone(comparison_input);

  EXPECT_EQ(judgement.verdict, Verdict::kUndecided);
  EXPECT_FALSE(comparison.interval.has_value());
  EXPECT_FALSE(judgement.more_runs_needed.has_value());
  EXPECT_DOUBLE_EQ(comparison.relative_change, -0.5);
}

TEST(CompareTest, HistoryDecidesWithOneRunASide) {
  const ComparisonInput comparison_input = {
      .baseline = {100},
      .candidate = {50},
      .direction = Direction::kHigherIsBetter,
      .minimum_effect = 0.03,
      .history = NoiseHistory{.stddev = 0.02, .degrees_of_freedom = 20}};

  EXPECT_EQ(JudgeAlone(comparison_input).verdict, Verdict::kWorse);
}

TEST(CompareTest, SmallSpreadAroundEqualityIsNoChange) {
  const ComparisonInput comparison_input = {.baseline = {1000, 1001, 999, 1000.5, 999.5},
                                            .candidate = {1001, 1000, 1000.5, 999, 1000},
                                            .minimum_effect = 0.03};

  EXPECT_EQ(JudgeAlone(comparison_input).verdict, Verdict::kNoChange);
}

TEST(CompareTest, WideSpreadIsUndecidedAndSaysHowManyRunsMore) {
  const ComparisonInput comparison_input = {.baseline = {900, 1000, 1100},
                                            .candidate = {1000, 1100, 1200},
                                            .direction = Direction::kLowerIsBetter,
                                            .minimum_effect = 0.03};
  const Comparison comparison = *Compare(comparison_input);
  const CellVerdict judgement = JudgeAlone(comparison_input);

  const PowerQuestion question{.distance = comparison.shift - std::log1p(0.03),
                               .stddev = *comparison.noise_stddev};

  EXPECT_EQ(judgement.verdict, Verdict::kUndecided);
  EXPECT_EQ(judgement.more_runs_needed, RunsNeeded(question) - 3);
}

TEST(CompareTest, MoreMetricsJudgedTogetherNeedMoreRuns) {
  const ComparisonInput comparison_input = {.baseline = {900, 1000, 1100},
                                            .candidate = {1000, 1100, 1200},
                                            .direction = Direction::kLowerIsBetter,
                                            .minimum_effect = 0.03};

  const std::vector<CellVerdict> many =
      JudgeAll(std::vector<ComparisonInput>(20, comparison_input));

  EXPECT_GT(*many.front().more_runs_needed, *JudgeAlone(comparison_input).more_runs_needed);
}

TEST(CompareTest, RateIsHeldOverAllComparisons) {
  const ComparisonInput weak_input = {.baseline = {100, 101, 102},
                                      .candidate = {103, 104, 105},
                                      .direction = Direction::kLowerIsBetter};
  const ComparisonInput null_input = {.baseline = {100, 101, 102}, .candidate = {100, 101, 102}};
  std::vector<ComparisonInput> inputs(30, null_input);
  inputs.front() = weak_input;

  EXPECT_EQ(JudgeAlone(weak_input).verdict, Verdict::kWorse);
  EXPECT_EQ(JudgeAll(inputs).front().verdict, Verdict::kUndecided);
  EXPECT_TRUE(JudgeAll({}).empty());
}

TEST(CompareTest, OneWildRunMakesNoVerdict) {
  const ComparisonInput comparison_input = {.baseline = {1000, 1010, 990, 1005, 995},
                                            .candidate = {1003, 992, 1008, 998, 3000},
                                            .direction = Direction::kLowerIsBetter,
                                            .minimum_effect = 0.01};
  const Comparison comparison = *Compare(comparison_input);

  EXPECT_EQ(JudgeAlone(comparison_input).verdict, Verdict::kUndecided);
  EXPECT_LT(std::abs(comparison.relative_change), 0.02);
}

TEST(CompareTest, ZerosAndNegativesAreJudgedOnThePlainScale) {
  const ComparisonInput comparison_input = {.baseline = {-10, -11, -9, -10},
                                            .candidate = {-20, -21, -19, -20},
                                            .direction = Direction::kHigherIsBetter,
                                            .minimum_effect = 0.1};
  const Comparison comparison = *Compare(comparison_input);

  EXPECT_EQ(comparison.scale, Scale::kPlain);
  EXPECT_NEAR(comparison.relative_change, -1, 1e-12);
  EXPECT_EQ(JudgeAlone(comparison_input).verdict, Verdict::kWorse);
}

TEST(CompareTest, ChangeFromZeroIsFiniteAndJudged) {
  const ComparisonInput errors_input = {.baseline = {0, 0, 0},
                                        .candidate = {4, 4, 4},
                                        .direction = Direction::kLowerIsBetter,
                                        .minimum_effect = 0.1};
  const Comparison errors = *Compare(errors_input);
  const ComparisonInput nothing_input = {.baseline = {0, 0}, .candidate = {0, 0}};

  EXPECT_DOUBLE_EQ(errors.relative_change, 2);
  EXPECT_EQ(JudgeAlone(errors_input).verdict, Verdict::kWorse);
  EXPECT_EQ(JudgeAlone(nothing_input).verdict, Verdict::kNoChange);
}

// Runs that differ by 10 % from one another, but by 4 % within each pair.
TEST(CompareTest, PairsRemoveWhatTheirRunsShare) {
  ComparisonInput input{.baseline = {100, 120, 90, 150, 110},
                        .candidate = {104.1, 124.7, 93.7, 155.8, 114.5},
                        .direction = Direction::kLowerIsBetter,
                        .minimum_effect = 0.01};
  const std::optional<Verdict> unpaired = JudgeAlone(input).verdict;
  input.is_paired = true;

  const Comparison paired = *Compare(input);

  EXPECT_EQ(unpaired, Verdict::kUndecided);
  EXPECT_EQ(JudgeAlone(input).verdict, Verdict::kWorse);
  EXPECT_NEAR(paired.relative_change, 0.04, 0.003);
}

TEST(CompareTest, BadInputIsRefused) {
  const Result<Comparison> infinite =
      Compare({.baseline = {1, std::numeric_limits<double>::infinity()}, .candidate = {1, 2}});

  EXPECT_EQ(infinite.error().message, "sample 1 is inf, not a finite number");
  EXPECT_FALSE(Compare({.baseline = {}, .candidate = {1}}).has_value());
  EXPECT_FALSE(Compare({.baseline = {1}, .candidate = {1}, .minimum_effect = 1}).has_value());
  EXPECT_FALSE(Compare({.baseline = {1}, .candidate = {1}, .minimum_effect = -0.1}).has_value());
  EXPECT_FALSE(Compare({.baseline = {1}, .candidate = {1}, .confidence_level = 1}).has_value());
  EXPECT_FALSE(Compare({.baseline = {1, 2}, .candidate = {1}, .is_paired = true}).has_value());
}

// The share of gates of 20 unchanged metrics that call any of them worse.
int CountFalseGates(NoiseKind kind, std::size_t run_count, int trials) {
  int false_gates = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    NoiseStream noise(kind, static_cast<std::uint64_t>(seed));
    std::vector<ComparisonInput> inputs;
    inputs.reserve(20);
    for (int metric = 0; metric < 20; ++metric) {
      inputs.push_back({.baseline = MakeRuns(noise, run_count, 1000, 0.02),
                        .candidate = MakeRuns(noise, run_count, 1000, 0.02)});
    }
    const std::vector<CellVerdict> cells = JudgeAll(inputs);
    if (std::any_of(cells.begin(), cells.end(),
                    [](const CellVerdict& cell) { return cell.verdict == Verdict::kWorse; })) {
      ++false_gates;
    }
  }
  return false_gates;
}

// Even without a minimum effect. 1,000 trials at 5 %: 50 with a standard error of 7.
TEST(JudgeOnceTest, FalseAlarmsOverTwentyMetricsStayBelowTheRate) {
  EXPECT_LE(CountFalseGates(NoiseKind::kNormal, 5, 1000), 71);
  EXPECT_GE(CountFalseGates(NoiseKind::kNormal, 5, 1000), 15);
  EXPECT_LE(CountFalseGates(NoiseKind::kHeavyTailed, 5, 1000), 71);
  EXPECT_LE(CountFalseGates(NoiseKind::kLogNormal, 5, 1000), 71);
  EXPECT_LE(CountFalseGates(NoiseKind::kSpiky, 5, 1000), 71);
  EXPECT_LE(CountFalseGates(NoiseKind::kBimodal, 5, 1000), 71);
  EXPECT_LE(CountFalseGates(NoiseKind::kNormal, 10, 300), 28);
}

int CountCalledWorse(std::size_t run_count, int trials) {
  int worse = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    NoiseStream noise(NoiseKind::kNormal, static_cast<std::uint64_t>(seed));
    const ComparisonInput input{.baseline = MakeRuns(noise, run_count, 1000, 0.02),
                                .candidate = MakeRuns(noise, run_count, 1040, 0.02),
                                .direction = Direction::kLowerIsBetter,
                                .minimum_effect = 0.01};
    if (JudgeAlone(input).verdict == Verdict::kWorse) ++worse;
  }
  return worse;
}

// The plan for a change of 4 % at a noise of 2 % and a floor of 1 % keeps its promise of 90 %.
TEST(JudgeOnceTest, PlannedRunsGiveThePlannedPower) {
  const std::int64_t run_count = RunsNeeded({.distance = std::log(1.04 / 1.01), .stddev = 0.02});

  EXPECT_NEAR(CountCalledWorse(static_cast<std::size_t>(run_count), 1000), 900, 50);
}

}  // namespace
}  // namespace schedlab::stats
