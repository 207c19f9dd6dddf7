#include "stats/gate.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

using testing::MakeRuns;
using testing::NoiseKind;
using testing::NoiseStream;

constexpr NoiseHistory kHistory{.stddev = 0.02, .degrees_of_freedom = 20};

// Runs about 1000 with a noise of 2 %; lower is better.
ComparisonInput RunsOf(double candidate_level, std::size_t run_count, std::uint64_t seed) {
  NoiseStream noise(NoiseKind::kNormal, seed);
  return {.baseline = MakeRuns(noise, run_count, 1000, 0.02),
          .candidate = MakeRuns(noise, run_count, candidate_level, 0.02),
          .direction = Direction::kLowerIsBetter,
          .minimum_effect = 0.03,
          .history = kHistory};
}

ComparisonInput NoRuns() { return {.baseline = {}, .candidate = {}, .minimum_effect = 0.03}; }

GateResult Gate(const std::vector<GateCell>& cells, const GateSettings& settings = {}) {
  return *RunGate(cells, LookPlan::Default(), settings);
}

TEST(RunGateTest, BeforeAnyRunItAsksForThoseOfTheFirstLook) {
  const GateResult result = Gate({{.input = NoRuns(), .scenario = 7}});

  EXPECT_EQ(result.state, GateState::kNeedsRuns);
  EXPECT_EQ(result.requests, (std::vector<RunRequest>{{.scenario = 7, .runs = {3, 3}}}));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kUndecided);
  EXPECT_FALSE(result.cells[0].comparison.has_value());
}

TEST(RunGateTest, ALargeLossIsWorseAtTheFirstLook) {
  const GateResult result = Gate({{.input = RunsOf(1500, 3, 1)}});

  EXPECT_EQ(result.state, GateState::kDecided);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kWorse);
  EXPECT_EQ(result.cells[0].look_count, 1);
  EXPECT_TRUE(result.requests.empty());
  EXPECT_NEAR(result.cells[0].comparison->relative_change, 0.5, 0.05);
}

TEST(RunGateTest, ALargeGainIsBetter) {
  EXPECT_EQ(Gate({{.input = RunsOf(600, 3, 1)}}).cells[0].verdict, Verdict::kBetter);
}

TEST(RunGateTest, AnUndecidedCellAsksForTheNextLookAndSaysHowFarItIs) {
  const GateResult result = Gate({{.input = RunsOf(1040, 3, 1), .scenario = 2}});

  EXPECT_EQ(result.cells[0].verdict, Verdict::kUndecided);
  EXPECT_GT(result.cells[0].more_runs_needed.value_or(0), 0);
  EXPECT_EQ(result.requests, (std::vector<RunRequest>{{.scenario = 2, .runs = {2, 2}}}));
}

TEST(RunGateTest, EqualSidesAreNoChangeOnceTheirIntervalIsWithinTheMinimumEffect) {
  GateCell cell{.input = RunsOf(1000, 12, 1)};

  EXPECT_EQ(Gate({cell}).cells[0].verdict, Verdict::kNoChange);
  cell.input.minimum_effect = 0.001;
  EXPECT_EQ(Gate({cell}).cells[0].verdict, Verdict::kUndecided);
}

TEST(RunGateTest, AfterTheLastLookNothingIsAskedFor) {
  GateCell cell{.input = RunsOf(1030, 12, 1)};

  const GateResult result = Gate({cell});

  EXPECT_EQ(result.state, GateState::kLooksUsed);
  EXPECT_EQ(result.cells[0].look_count, 4);
  EXPECT_TRUE(result.requests.empty());
}

// 12 runs that say nothing more would have been worse at 3.
TEST(RunGateTest, FurtherRunsDoNotTakeBackAVerdict) {
  ComparisonInput input = RunsOf(1500, 3, 1);
  const ComparisonInput later = RunsOf(1000, 9, 2);
  input.baseline.insert(input.baseline.end(), later.baseline.begin(), later.baseline.end());
  input.candidate.insert(input.candidate.end(), later.candidate.begin(), later.candidate.end());

  const GateResult result = Gate({{.input = input}});

  EXPECT_EQ(result.cells[0].verdict, Verdict::kWorse);
  EXPECT_EQ(result.cells[0].look_count, 1);
}

TEST(RunGateTest, AnOutlyingRunIsReportedKeptAndRepeated) {
  ComparisonInput input = RunsOf(1000, 3, 1);
  input.candidate[1] = 1400;

  const GateResult result = Gate({{.input = input, .scenario = 5}});

  EXPECT_EQ(result.cells[0].outlying, (OutlyingRuns{.baseline = {}, .candidate = {1}}));
  EXPECT_EQ(result.cells[0].look_count, 0);
  EXPECT_EQ(result.cells[0].comparison->candidate.maximum, 1400);
  EXPECT_EQ(result.requests, (std::vector<RunRequest>{{.scenario = 5, .runs = {0, 1}}}));
}

TEST(RunGateTest, AtMostAQuarterOfTheLookIsRepeated) {
  ComparisonInput input = RunsOf(1000, 8, 1);
  for (const std::size_t i : {4U, 5U, 6U}) input.candidate[i] = 1400;
  ComparisonInput repeated = input;
  repeated.candidate.push_back(1001);
  repeated.candidate.push_back(999);

  const LookRuns before = RunsForLook(input, 8);
  const LookRuns after = RunsForLook(repeated, 8);

  EXPECT_EQ(before.outlying.candidate, (std::vector<std::size_t>{4, 5, 6}));
  EXPECT_EQ(before.missing, (RunCounts{.baseline = 0, .candidate = 2}));
  EXPECT_TRUE(after.is_reached());
  EXPECT_EQ(after.used, (RunCounts{.baseline = 8, .candidate = 10}));
}

TEST(RunGateTest, CellsOfOneScenarioShareTheirRuns) {
  const std::vector<GateCell> cells = {{.input = NoRuns(), .scenario = 1},
                                       {.input = RunsOf(1040, 3, 1), .scenario = 1},
                                       {.input = RunsOf(1500, 3, 1), .scenario = 2}};

  EXPECT_EQ(Gate(cells).requests, (std::vector<RunRequest>{{.scenario = 1, .runs = {3, 3}}}));
}

TEST(RunGateTest, TheBudgetGoesToTheMostSuspectedScenario) {
  const std::vector<GateCell> cells = {{.input = RunsOf(1030, 5, 1), .scenario = 1},
                                       {.input = RunsOf(1075, 5, 1), .scenario = 2}};

  const GateResult result = Gate(cells, {.run_budget = 7});

  EXPECT_EQ(result.requests, (std::vector<RunRequest>{{.scenario = 2, .runs = {3, 3}}}));
  EXPECT_EQ(Gate(cells, {.run_budget = 5}).state, GateState::kBudgetSpent);
  EXPECT_EQ(Gate(cells, {.run_budget = 12}).requests.size(), 2U);
}

TEST(RunGateTest, CountersAreJudgedWhereAPrimaryMetricIsWorseAndSayOverHowMany) {
  const std::vector<GateCell> cells = {
      {.input = RunsOf(1500, 5, 1), .scenario = 1},
      {.input = RunsOf(2000, 5, 2), .scenario = 1, .is_primary = false},
      {.input = RunsOf(1000, 5, 3), .scenario = 1, .is_primary = false},
      {.input = RunsOf(1000, 12, 4), .scenario = 2},
      {.input = RunsOf(2000, 12, 5), .scenario = 2, .is_primary = false}};

  const GateResult result = Gate(cells);

  EXPECT_EQ(result.cells[1].verdict, Verdict::kWorse);
  EXPECT_NE(result.cells[2].verdict, Verdict::kWorse);
  EXPECT_EQ(result.cells[4].verdict, std::nullopt);
  EXPECT_EQ(result.primary.cell_count, 2);
  ASSERT_EQ(result.counters.size(), 1U);
  EXPECT_EQ(result.counters[0].scenario, 1);
  EXPECT_EQ(result.counters[0].statement.cell_count, 2);
  EXPECT_DOUBLE_EQ(result.counters[0].statement.false_discovery_rate, 0.025);
}

// Both counters of the same small move; among 40 others it no longer stands out.
TEST(RunGateTest, ACounterIsHeldAgainstTheOthersOfItsScenario) {
  std::vector<GateCell> cells = {{.input = RunsOf(1500, 5, 1)},
                                 {.input = RunsOf(1065, 5, 2), .is_primary = false}};
  const Verdict alone = *Gate(cells).cells[1].verdict;
  for (std::uint64_t i = 0; i < 40; ++i) {
    cells.push_back({.input = RunsOf(1000, 5, 10 + i), .is_primary = false});
  }

  EXPECT_EQ(alone, Verdict::kWorse);
  EXPECT_EQ(Gate(cells).cells[1].verdict, Verdict::kUndecided);
}

TEST(RunGateTest, PairsAreAskedForTogetherAndJudgedByTheirDifferences) {
  ComparisonInput input{.baseline = {100, 160, 80, 250, 120},
                        .candidate = {110.2, 175.7, 88.1, 275.3, 131.8},
                        .direction = Direction::kLowerIsBetter,
                        .minimum_effect = 0.01,
                        .is_paired = true,
                        .history = NoiseHistory{.stddev = 0.003, .degrees_of_freedom = 20}};
  GateCell cell{.input = input};

  EXPECT_EQ(Gate({cell}).cells[0].verdict, Verdict::kWorse);
  cell.input.candidate[1] = 160;
  EXPECT_EQ(Gate({cell}).cells[0].outlying, (OutlyingRuns{.baseline = {1}, .candidate = {1}}));
  EXPECT_EQ(RunsForLook(cell.input, 5).missing, (RunCounts{.baseline = 1, .candidate = 1}));
}

TEST(RunGateTest, AHistoryThatTheRunsContradictIsNotBelieved) {
  std::vector<GateCell> cells;
  for (std::uint64_t i = 0; i < 30; ++i) {
    // By that history every run stands apart: each side has its one repeat.
    cells.push_back({.input = RunsOf(1000, 4, i)});
    cells.back().input.history->stddev = 0.001;
    cells.back().input.minimum_effect = 0;
  }

  const GateResult result = Gate(cells);

  for (const CellVerdict& cell : result.cells) {
    EXPECT_GT(*cell.comparison->noise_stddev, 0.003);
    EXPECT_EQ(cell.verdict, Verdict::kUndecided);
  }
}

TEST(RunGateTest, ConstantsAreComparedExactly) {
  const ComparisonInput worse{.baseline = {100, 100, 100},
                              .candidate = {104, 104, 104},
                              .direction = Direction::kLowerIsBetter,
                              .minimum_effect = 0.03};
  ComparisonInput equal = worse;
  equal.candidate = {103, 103, 103};

  const GateResult result = Gate({{.input = worse}, {.input = equal}});

  EXPECT_EQ(result.cells[0].verdict, Verdict::kWorse);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kNoChange);
}

TEST(RunGateTest, ACellThatCannotBeComparedIsNamed) {
  ComparisonInput infinite = RunsOf(1000, 3, 1);
  infinite.baseline[1] = std::numeric_limits<double>::infinity();
  ComparisonInput unpaired = RunsOf(1000, 3, 1);
  unpaired.is_paired = true;
  unpaired.candidate.clear();
  const std::vector<GateCell> cells = {{.input = NoRuns()}, {.input = infinite}};

  EXPECT_EQ(RunGate(cells, LookPlan::Default(), {}).error().message,
            "cell 1: sample 1 is inf, not a finite number");
  EXPECT_FALSE(
      RunGate(std::vector<GateCell>{{.input = unpaired}}, LookPlan::Default(), {}).has_value());
  EXPECT_EQ(JudgeOnce(cells, 0.05).error().message,
            "cell 0: there are 0 baseline and 0 candidate samples");
}

TEST(RunGateTest, NoCellsAreDecided) {
  EXPECT_EQ(Gate({}).state, GateState::kDecided);
  EXPECT_EQ(JudgeOnce({}, 0.05)->state, GateState::kDecided);
}

}  // namespace
}  // namespace schedlab::stats
