#include "stats/bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/simulated_bisection.h"
#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

using testing::BisectionTrace;
using testing::HistorySpec;
using testing::SimulatedHistory;

BisectionTrace BisectHistory(const HistorySpec& spec, std::uint64_t seed,
                             BisectionOptions options = {.worker_count = 4}) {
  SimulatedHistory history(spec, seed);
  return testing::Bisect(history, options);
}

BisectionAnswer AnswerFor(const HistorySpec& spec, std::uint64_t seed,
                          BisectionOptions options = {.worker_count = 4}) {
  return *BisectHistory(spec, seed, options).end.answer;
}

BisectionState TwoCommits() {
  return {.commits = std::vector<BisectionCommit>(2), .runs = {}, .options = {}};
}

std::string ErrorOf(const BisectionState& state) {
  const Result<BisectionStep> step = NextBisectionStep(state);
  return step ? "" : step.error().message;
}

TEST(BisectionTest, FindsALargeStepAndConfirmsIt) {
  const BisectionAnswer answer =
      AnswerFor({.candidate_count = 100, .steps = {{.first_bad = 37, .size_sd = 4}}}, 1);

  ASSERT_EQ(answer.outcome, BisectionOutcome::kCulprit) << answer.reason;
  const Culprit& culprit = answer.culprits.front();
  EXPECT_EQ(culprit.commit, 37);
  EXPECT_TRUE(culprit.is_confirmed);
  EXPECT_GE(culprit.probability, 0.95);
  EXPECT_EQ(answer.smallest_set, (std::vector<std::int64_t>{37}));
  // 4 sd of 2 %.
  EXPECT_GT(culprit.step_interval.high, 0.08);
  EXPECT_LT(culprit.step_interval.low, 0.08);
  EXPECT_NEAR(culprit.share, 1, 1e-9);
  EXPECT_FALSE(answer.descends_into_merge);
}

TEST(BisectionTest, AStepDownIsFoundInEitherDirectionOrItsOwn) {
  const HistorySpec spec{.candidate_count = 50, .steps = {{.first_bad = 9, .size_sd = -4}}};

  const BisectionAnswer either = AnswerFor(spec, 2);
  const BisectionAnswer down =
      AnswerFor(spec, 2, {.worker_count = 4, .direction = ChangeDirection::kDecrease});
  const BisectionAnswer up =
      AnswerFor(spec, 2, {.worker_count = 4, .direction = ChangeDirection::kIncrease});

  EXPECT_EQ(either.culprits.at(0).commit, 9);
  EXPECT_LT(either.culprits.at(0).step, 0);
  EXPECT_EQ(down.culprits.at(0).commit, 9);
  EXPECT_EQ(up.outcome, BisectionOutcome::kNotReproduced);
}

TEST(BisectionTest, WithoutADifferenceItIsNotReproduced) {
  const BisectionTrace trace = BisectHistory({.candidate_count = 100}, 3);

  EXPECT_EQ(trace.end.answer->outcome, BisectionOutcome::kNotReproduced);
  EXPECT_TRUE(trace.end.answer->culprits.empty());
  EXPECT_LE(trace.run_count(), 100);
}

TEST(BisectionTest, ADifferenceBelowTheMinimumEffectIsNotReproduced) {
  const HistorySpec spec{.candidate_count = 20, .steps = {{.first_bad = 9, .size_sd = 4}}};

  const BisectionAnswer answer = AnswerFor(spec, 2, {.worker_count = 4, .minimum_effect = 0.3});

  EXPECT_EQ(answer.outcome, BisectionOutcome::kNotReproduced);
}

TEST(BisectionTest, BothOfTwoStepsAreFoundWithTheirShares) {
  const BisectionAnswer answer = AnswerFor({.candidate_count = 64, .steps = {{10, 6}, {50, 4}}}, 1);

  ASSERT_EQ(answer.outcome, BisectionOutcome::kSeveral) << answer.reason;
  ASSERT_EQ(answer.culprits.size(), 2U);
  EXPECT_EQ(answer.culprits[0].commit, 10);
  EXPECT_EQ(answer.culprits[1].commit, 50);
  EXPECT_NEAR(answer.culprits[0].share, 0.6, 0.15);
  EXPECT_NEAR(answer.culprits[0].share + answer.culprits[1].share, 1, 1e-9);
}

TEST(BisectionTest, ADriftIsNoSingleCommit) {
  const BisectionTrace trace = BisectHistory({.candidate_count = 64, .drift_sd = 6}, 2);

  EXPECT_EQ(trace.end.answer->outcome, BisectionOutcome::kGradual);
  EXPECT_GT(trace.end.shapes.drift, 0.9);
}

TEST(BisectionTest, CommitsThatCannotBeBuiltAreAnsweredTogether) {
  SimulatedHistory builder({.candidate_count = 20, .steps = {{.first_bad = 8, .size_sd = 6}}}, 1);
  BisectionState state{.commits = builder.commits(), .runs = {}, .options = {.worker_count = 4}};
  for (const std::size_t skipped : {7U, 8U, 9U}) state.commits[skipped].is_skipped = true;
  BisectionStep step = *NextBisectionStep(state);
  while (!step.answer) {
    for (const Probe& probe : step.batch) {
      state.runs.push_back({.commit = probe.commit,
                            .round = step.round,
                            .purpose = probe.purpose,
                            .value = builder.Measure(probe.commit, step.round)});
    }
    step = *NextBisectionStep(state);
  }

  EXPECT_EQ(step.answer->outcome, BisectionOutcome::kSkippedRange) << step.answer->reason;
  EXPECT_EQ(step.answer->culprits.at(0).candidates, (std::vector<std::int64_t>{7, 8, 9, 10}));
  EXPECT_EQ(step.answer->smallest_set, (std::vector<std::int64_t>{7, 8, 9, 10}));
}

TEST(BisectionTest, ACulpritThatIsAMergeAsksToDescend) {
  SimulatedHistory history({.candidate_count = 8, .steps = {{.first_bad = 5, .size_sd = 8}}}, 1);
  BisectionTrace trace = testing::Bisect(history, {.worker_count = 4});
  trace.state.commits[5].is_merge = true;

  const BisectionStep step = *NextBisectionStep(trace.state);

  ASSERT_TRUE(step.answer.has_value());
  EXPECT_TRUE(step.answer->descends_into_merge);
  EXPECT_TRUE(step.answer->culprits.at(0).is_merge);
}

TEST(BisectionTest, OneSuspectNeedsNoSearch) {
  const BisectionTrace trace =
      BisectHistory({.candidate_count = 1, .steps = {{.first_bad = 1, .size_sd = 5}}}, 1);

  EXPECT_EQ(trace.end.answer->outcome, BisectionOutcome::kCulprit);
  EXPECT_EQ(trace.runs_by_stage.size(), 1U);
}

TEST(BisectionTest, ASpentBudgetStillGivesTheSmallestSet) {
  const BisectionTrace trace =
      BisectHistory({.candidate_count = 256, .steps = {{.first_bad = 100, .size_sd = 2}}}, 1,
                    {.worker_count = 4, .run_budget = 33});
  const BisectionAnswer& answer = *trace.end.answer;

  EXPECT_EQ(answer.outcome, BisectionOutcome::kUndecided);
  EXPECT_EQ(trace.run_count(), 33);
  EXPECT_GE(answer.smallest_set.size(), 2U);
  EXPECT_NE(answer.reason.find("33 runs"), std::string::npos) << answer.reason;
}

TEST(BisectionTest, ALikelyCommitIsFoundSooner) {
  const auto runs_with_weight = [](double weight) {
    std::int64_t runs = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SimulatedHistory history(
          {.candidate_count = 256, .steps = {{.first_bad = 200, .size_sd = 2}}}, seed);
      BisectionState state{
          .commits = history.commits(), .runs = {}, .options = {.worker_count = 1}};
      state.commits[200].prior_weight = weight;
      for (BisectionStep step = *NextBisectionStep(state); !step.answer;
           step = *NextBisectionStep(state)) {
        for (const Probe& probe : step.batch) {
          state.runs.push_back({.commit = probe.commit,
                                .round = step.round,
                                .purpose = probe.purpose,
                                .value = history.Measure(probe.commit, step.round)});
        }
      }
      runs += static_cast<std::int64_t>(state.runs.size());
    }
    return runs;
  };

  EXPECT_LT(static_cast<double>(runs_with_weight(64)),
            0.8 * static_cast<double>(runs_with_weight(1)));
}

TEST(BisectionTest, RunsOfTheHistoryAreUsedAndNotCountedForTheBudget) {
  SimulatedHistory history({.candidate_count = 64, .steps = {{.first_bad = 20, .size_sd = 3}}}, 5);
  BisectionState state{.commits = history.commits(), .runs = {}, .options = {.run_budget = 12}};
  for (const std::int64_t commit : {0, 10, 16, 18, 22, 24, 40, 64}) {
    for (int i = 0; i < 4; ++i) {
      state.runs.push_back({.commit = commit, .round = 0, .value = history.Measure(commit, 0)});
    }
  }

  const BisectionStep step = *NextBisectionStep(state);

  EXPECT_FALSE(step.batch.empty());
  EXPECT_GT(step.probabilities[19] + step.probabilities[20] + step.probabilities[21] +
                step.probabilities[22],
            0.95);
}

TEST(BisectionTest, BatchesAlternateBothEndsAndUseAllWorkers) {
  const BisectionState state{
      .commits = std::vector<BisectionCommit>(50), .runs = {}, .options = {.worker_count = 8}};

  const BisectionStep step = *NextBisectionStep(state);

  ASSERT_EQ(step.batch.size(), 8U);
  EXPECT_EQ(step.batch[0].commit, 0);
  EXPECT_EQ(step.batch[1].commit, 49);
  EXPECT_EQ(step.batch[2].commit, 0);
  EXPECT_EQ(step.batch[0].purpose.stage, BisectionStage::kReproduce);
}

// Whatever was cut off, calling again with what was stored asks for the same as before.
TEST(BisectionTest, ResumingAndPermutedRunsGiveTheSameStep) {
  const BisectionTrace trace =
      BisectHistory({.candidate_count = 100, .steps = {{.first_bad = 60, .size_sd = 1.5}}}, 8);
  testing::SplitMix random(4);
  for (std::int64_t rounds = 0; rounds <= trace.round_count; ++rounds) {
    BisectionState state{
        .commits = trace.state.commits, .runs = {}, .options = trace.state.options};
    for (const BisectionRun& run : trace.state.runs) {
      if (run.round < rounds) state.runs.push_back(run);
    }
    const BisectionStep first = *NextBisectionStep(state);
    for (std::size_t i = state.runs.size(); i > 1; --i) {
      std::swap(state.runs[i - 1], state.runs[random.Below(i)]);
    }
    const BisectionStep again = *NextBisectionStep(state);

    ASSERT_EQ(first.batch, again.batch) << "after " << rounds << " rounds";
    ASSERT_EQ(first.probabilities, again.probabilities);
    ASSERT_EQ(first.answer.has_value(), again.answer.has_value());
  }
}

TEST(BisectionTest, AnotherUnitGivesTheSameSteps) {
  const BisectionTrace trace =
      BisectHistory({.candidate_count = 100, .steps = {{.first_bad = 60, .size_sd = 2}}}, 8);
  BisectionState state = trace.state;
  for (BisectionRun& run : state.runs) run.value *= 4096;

  const BisectionStep step = *NextBisectionStep(state);

  ASSERT_TRUE(step.answer.has_value());
  EXPECT_EQ(step.answer->smallest_set, trace.end.answer->smallest_set);
  for (std::size_t i = 0; i < step.probabilities.size(); ++i) {
    ASSERT_NEAR(step.probabilities[i], trace.end.probabilities[i], 1e-9);
  }
}

TEST(BisectionTest, ValuesWithZerosOrWithoutNoiseAreBisected) {
  BisectionState state{
      .commits = std::vector<BisectionCommit>(33), .runs = {}, .options = {.worker_count = 2}};
  BisectionStep step = *NextBisectionStep(state);
  while (!step.answer) {
    for (const Probe& probe : step.batch) {
      const double value = probe.commit >= 21 ? 0 : -3;
      state.runs.push_back({probe.commit, step.round, probe.purpose, value});
    }
    step = *NextBisectionStep(state);
  }

  EXPECT_EQ(step.answer->outcome, BisectionOutcome::kCulprit);
  EXPECT_EQ(step.answer->culprits.at(0).commit, 21);
  EXPECT_LE(state.runs.size(), 40U);
}

TEST(BisectionTest, EqualEndsAreNotReproducedAtOnce) {
  BisectionState state = TwoCommits();
  BisectionStep step = *NextBisectionStep(state);
  while (!step.answer) {
    for (const Probe& probe : step.batch) {
      state.runs.push_back({probe.commit, step.round, probe.purpose, 5});
    }
    step = *NextBisectionStep(state);
  }

  EXPECT_EQ(step.answer->outcome, BisectionOutcome::kNotReproduced);
  EXPECT_EQ(state.runs.size(), 6U);
}

TEST(BisectionTest, BadInputIsNamed) {
  BisectionState one_commit;
  one_commit.commits.resize(1);
  BisectionState skipped_end = TwoCommits();
  skipped_end.commits[1].is_skipped = true;
  BisectionState unknown = TwoCommits();
  unknown.runs = {{.commit = 2, .value = 1}};
  BisectionState not_a_number = TwoCommits();
  not_a_number.runs = {{.commit = 0, .value = 1}, {.commit = 1, .value = std::nan("")}};
  BisectionState weightless = TwoCommits();
  weightless.commits[1].prior_weight = 0;
  BisectionState no_workers = TwoCommits();
  no_workers.options.worker_count = 0;
  BisectionState past = TwoCommits();
  past.runs = {{.commit = 0, .round = -1, .value = 1}};

  EXPECT_EQ(ErrorOf(one_commit), "1 commit(s): a range needs a good and a bad end, which differ");
  EXPECT_EQ(ErrorOf(skipped_end), "the bad end is skipped: choose a later one");
  EXPECT_EQ(ErrorOf(unknown), "run 0 is of commit 2, which is not one of the 2 of the range");
  EXPECT_EQ(ErrorOf(not_a_number), "run 1 (commit 1) has the value nan: must be finite");
  EXPECT_EQ(ErrorOf(weightless), "commit 1 has the prior weight 0: must be 1e-9 to 1e9");
  EXPECT_EQ(ErrorOf(no_workers), "0 workers: must be 1 to 1000");
  EXPECT_EQ(ErrorOf(past), "run 0 has the round -1: must be 0 or more");
}

// Whatever is stored, even what this engine never asked for: no crash, no probe of a skipped
// commit, and an end within the budget.
class RandomStates {
 public:
  explicit RandomStates(std::uint64_t seed) : random_(seed) {}

  BisectionState Next() {
    BisectionState state;
    state.commits.resize(2 + random_.Below(30));
    for (std::size_t i = 1; i + 1 < state.commits.size(); ++i) {
      state.commits[i].is_skipped = random_.Uniform() < 0.2;
      state.commits[i].prior_weight = std::exp(random_.Normal());
    }
    state.options.worker_count = 1 + static_cast<std::int64_t>(random_.Below(9));
    state.options.run_budget = 1 + static_cast<std::int64_t>(random_.Below(60));
    state.options.direction = static_cast<ChangeDirection>(random_.Below(3));
    scale_ = std::pow(10.0, 6 * random_.Normal());
    kind_ = random_.Below(4);
    const std::uint64_t run_count = random_.Below(40);
    for (std::uint64_t i = 0; i < run_count; ++i) state.runs.push_back(AnyRun(state));
    return state;
  }

  double Value() {
    switch (kind_) {
      case 0:
        return scale_;
      case 1:
        return scale_ * std::exp(random_.Normal());
      case 2:
        return scale_ * random_.Normal();
      default:
        return static_cast<double>(random_.Below(3));
    }
  }

 private:
  std::int64_t AnyCommit(const BisectionState& state) {
    return static_cast<std::int64_t>(random_.Below(state.commits.size()));
  }
  BisectionRun AnyRun(const BisectionState& state) {
    BisectionRun run{.commit = AnyCommit(state),
                     .round = static_cast<std::int64_t>(random_.Below(10)),
                     .purpose = {},
                     .value = Value()};
    run.purpose.stage = static_cast<BisectionStage>(random_.Below(5));
    run.purpose.last = static_cast<std::int64_t>(state.commits.size()) - 1;
    if (random_.Uniform() < 0.3) run.purpose.first = AnyCommit(state);
    if (random_.Uniform() < 0.3) run.purpose.last = AnyCommit(state);
    run.purpose.claim = AnyCommit(state);
    run.purpose.attempt = static_cast<std::int64_t>(random_.Below(3));
    return run;
  }

  testing::SplitMix random_;
  double scale_ = 1;
  std::uint64_t kind_ = 0;
};

// Empty if all is well.
std::string WhatIsWrongWith(const BisectionState& state, const BisectionStep& step,
                            std::int64_t spent) {
  const double sum = std::accumulate(step.probabilities.begin(), step.probabilities.end(), 0.0);
  if (!(std::abs(sum - 1) < 1e-9)) return "probabilities do not sum to 1";
  if (step.answer.has_value() != step.batch.empty()) return "neither batch nor answer, or both";
  const auto size = static_cast<std::int64_t>(step.batch.size());
  if (size > std::max<std::int64_t>(state.options.worker_count, 2)) return "too large a batch";
  if (size > 0 && spent + size > state.options.run_budget) return "more than the budget";
  if (step.answer && step.answer->smallest_set.empty()) return "no smallest set";
  for (const Probe& probe : step.batch) {
    if (state.commits[static_cast<std::size_t>(probe.commit)].is_skipped) return "skipped";
  }
  return "";
}

std::int64_t SpentRuns(const BisectionState& state) {
  return std::count_if(state.runs.begin(), state.runs.end(), [](const BisectionRun& run) {
    return run.purpose.stage != BisectionStage::kHistory;
  });
}

std::string RunToTheEnd(RandomStates& states) {
  BisectionState state = states.Next();
  for (int steps = 0; steps < 100; ++steps) {
    const Result<BisectionStep> step = NextBisectionStep(state);
    if (!step) return step.error().message;
    const std::string wrong = WhatIsWrongWith(state, *step, SpentRuns(state));
    if (!wrong.empty() || step->answer) return wrong;
    for (const Probe& probe : step->batch) {
      state.runs.push_back({probe.commit, step->round, probe.purpose, states.Value()});
    }
  }
  return "no end";
}

TEST(BisectionTest, EndsWithinItsBudgetFromAnyState) {
  RandomStates states(20'261);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(RunToTheEnd(states), "") << "state " << i;
  }
}

// 3 standard errors below what docs/bisection.md reports over more trials.
TEST(BisectionTest, IsRightAboutAsOftenAsItSays) {
  int right = 0;
  std::int64_t runs = 0;
  constexpr int kTrials = 150;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    const std::int64_t culprit = testing::AnyCommit(256, seed);
    const BisectionTrace trace =
        BisectHistory({.steps = {{culprit, 2}}}, seed,
                      {.worker_count = 8, .direction = ChangeDirection::kIncrease});
    const auto& culprits = trace.end.answer->culprits;
    if (culprits.size() == 1 && culprits.front().commit == culprit) ++right;
    runs += trace.run_count();
  }

  EXPECT_GE(right, 142);
  EXPECT_LE(static_cast<double>(runs) / kTrials, 80);
}

}  // namespace
}  // namespace schedlab::stats
