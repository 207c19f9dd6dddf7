#include "server/campaigns/gate_campaign.h"

#include <gtest/gtest.h>

#include "tests/unit/server/gate_farm.h"

namespace schedlab::server {
namespace {

// Half a percent around 1000, other for each repetition and side.
double Noise(std::int32_t repetition, bool is_candidate) {
  constexpr std::array<double, 8> kOffsets = {-3, 1, 4, -2, 3, -4, 2, -1};
  const auto index = static_cast<std::size_t>(repetition) + (is_candidate ? 3 : 0);
  return 1'000 + kOffsets[index % kOffsets.size()];
}

class GateCampaignTest : public ::testing::Test {
 protected:
  // The candidate loses a fifth on kvm-16x1, and nothing on kvm-1x16.
  GateFarm::Measure LossOnOneMachine() const {
    return [this](const FarmRun& run) -> std::optional<double> {
      const bool is_worse = farm_.IsCandidate(run) && run.topology == "kvm-16x1";
      return Noise(run.repetition, farm_.IsCandidate(run)) * (is_worse ? 0.8 : 1.0);
    };
  }

  static const ComparisonRow& RowOn(const GateAnswer& answer, const std::string& topology) {
    for (const ComparisonRow& row : answer.rows) {
      if (row.series.key.topology == topology) return row;
    }
    ADD_FAILURE() << "no row of " << topology;
    return answer.rows.front();
  }

  GateFarm farm_;
};

TEST_F(GateCampaignTest, TheFirstRoundIsTheFirstLookAtEveryScenario) {
  const CampaignStep step = farm_.Next();

  ASSERT_EQ(step.jobs.size(), 1U);
  EXPECT_EQ(step.jobs[0].repetitions, 3);
  EXPECT_EQ(step.jobs[0].topologies, farm_.gate.question.suite.topologies);
  ASSERT_EQ(step.jobs[0].policies.size(), 2U);
  EXPECT_EQ(step.jobs[0].policies[0].revisions, farm_.gate.sides.baseline.id);
  EXPECT_EQ(step.jobs[0].policies[1].revisions, farm_.gate.sides.candidate.id);
  EXPECT_EQ(std::get<GateAnswer>(step.answer).end, GateEnd::kOpen);
}

TEST_F(GateCampaignTest, ALossIsWorseAndTheRestIsShownToBeUnchanged) {
  const GateAnswer answer = farm_.RunToItsEnd(LossOnOneMachine());

  EXPECT_EQ(answer.end, GateEnd::kDecided);
  EXPECT_EQ(RowOn(answer, "kvm-16x1").verdict, Verdict::kWorse);
  EXPECT_EQ(RowOn(answer, "kvm-1x16").verdict, Verdict::kNoChange);
  EXPECT_TRUE(answer.unmeasured.empty());
}

TEST_F(GateCampaignTest, OnlyWhatIsUndecidedIsRunAgain) {
  const auto noisy_on_one_machine = [this](const FarmRun& run) -> std::optional<double> {
    const bool is_candidate = farm_.IsCandidate(run);
    if (run.topology == "kvm-16x1")
      return Noise(run.repetition, is_candidate) * (is_candidate ? 0.5 : 1);
    return 1'000 + (Noise(run.repetition, is_candidate) - 1'000) * 20;
  };
  farm_.Execute(farm_.Next(), noisy_on_one_machine);

  const CampaignStep step = farm_.Next();

  ASSERT_EQ(step.jobs.size(), 1U);
  EXPECT_EQ(step.jobs[0].topologies, std::vector<std::string>{"kvm-1x16"});
  EXPECT_EQ(step.jobs[0].repetitions, 5);
}

TEST_F(GateCampaignTest, AStepFollowsFromTheEvidenceAlone) {
  farm_.Execute(farm_.Next(), LossOnOneMachine());

  const CampaignStep first = farm_.Next();
  const CampaignStep second = farm_.Next();

  EXPECT_EQ(first.jobs, second.jobs);
  EXPECT_EQ(first.answer, second.answer);
}

TEST_F(GateCampaignTest, TheBudgetIsNeverExceeded) {
  farm_.run_budget = 11;  // 6 runs are the first look at one machine

  const GateAnswer answer = farm_.RunToItsEnd(LossOnOneMachine());

  EXPECT_EQ(farm_.brought_count, 6);
  EXPECT_EQ(answer.end, GateEnd::kBudgetSpent);
  ASSERT_EQ(answer.rows.size(), 1U);
  ASSERT_EQ(answer.unmeasured.size(), 1U);
  EXPECT_EQ(answer.unmeasured[0].topology, "kvm-1x16");
  EXPECT_FALSE(answer.unmeasured[0].has_failed);
}

TEST_F(GateCampaignTest, ASideWhoseRunsFailIsGivenUpAndToldOf) {
  const auto fails_on_one_machine = [this](const FarmRun& run) -> std::optional<double> {
    if (run.topology == "kvm-1x16" && farm_.IsCandidate(run)) return std::nullopt;
    return *LossOnOneMachine()(run);
  };

  const GateAnswer answer = farm_.RunToItsEnd(fails_on_one_machine);

  EXPECT_EQ(answer.end, GateEnd::kDecided);
  EXPECT_EQ(RowOn(answer, "kvm-16x1").verdict, Verdict::kWorse);
  ASSERT_EQ(answer.unmeasured.size(), 1U);
  EXPECT_TRUE(answer.unmeasured[0].has_failed);
  EXPECT_EQ(answer.unmeasured[0].reason,
            "3 runs of the candidate failed; the first: the machine is on fire");
}

TEST_F(GateCampaignTest, ARunThatFailedOnceIsTriedAgain) {
  const auto fails_in_the_first_round = [this](const FarmRun& run) -> std::optional<double> {
    if (farm_.round_count == 1 && run.repetition == 1 && farm_.IsCandidate(run))
      return std::nullopt;
    return *LossOnOneMachine()(run);
  };

  const GateAnswer answer = farm_.RunToItsEnd(fails_in_the_first_round);

  EXPECT_EQ(answer.end, GateEnd::kDecided);
  EXPECT_TRUE(answer.unmeasured.empty());
  EXPECT_GE(RowOn(answer, "kvm-16x1").candidate.count, 3);
}

TEST_F(GateCampaignTest, RunsOfAnotherEngineCountForNothing) {
  farm_.Execute(farm_.Next(), LossOnOneMachine());
  const std::vector<JobSpec> first_round = GateFarm().Next().jobs;
  for (CampaignRun& run : farm_.evidence.runs) run.key += " of another engine";

  const CampaignStep step = farm_.Next();

  EXPECT_EQ(step.jobs, first_round);
}

TEST_F(GateCampaignTest, AMetricThatNoRunReportsIsNoPartOfTheGate) {
  farm_.gate.question.suite.metrics = {"files_per_sec", "elapsed_sec"};

  const GateAnswer answer = farm_.RunToItsEnd(LossOnOneMachine());

  EXPECT_EQ(answer.rows.size(), 2U);
  EXPECT_TRUE(answer.unmeasured.empty());
}

TEST_F(GateCampaignTest, RunsThatReportNothingAreNotMeasured) {
  farm_.gate.question.suite.metrics = {"elapsed_sec"};

  const GateAnswer answer = farm_.RunToItsEnd(LossOnOneMachine());

  EXPECT_TRUE(answer.rows.empty());
  ASSERT_EQ(answer.unmeasured.size(), 2U);
  EXPECT_EQ(answer.unmeasured[0].metric, "elapsed_sec");
  EXPECT_TRUE(answer.unmeasured[0].has_failed);
}

// Three runs a side are too few to know this noise from; twenty earlier revisions know it.
TEST_F(GateCampaignTest, TheNoiseOfEarlierRevisionsDecidesSooner) {
  farm_.gate.question.suite.topologies = {"kvm-16x1"};
  const auto loses_a_bit = [this](const FarmRun& run) -> std::optional<double> {
    return Noise(run.repetition, farm_.IsCandidate(run)) * (farm_.IsCandidate(run) ? 0.96 : 1.0);
  };
  farm_.Execute(farm_.Next(), loses_a_bit);
  const auto alone = std::get<GateAnswer>(farm_.Next().answer);
  const SeriesId series = farm_.evidence.series.at(0).id;
  farm_.evidence.earlier[series] = std::vector<std::vector<double>>(20, {700, 702, 698});

  const auto with_history = std::get<GateAnswer>(farm_.Next().answer);

  EXPECT_EQ(RowOn(alone, "kvm-16x1").verdict, Verdict::kUndecided);
  EXPECT_EQ(RowOn(with_history, "kvm-16x1").verdict, Verdict::kWorse);
}

TEST_F(GateCampaignTest, PairsMakeNoUseOfTheNoiseOfRuns) {
  farm_.gate.question.suite.seed_mode = SeedMode::kPaired;
  farm_.Execute(farm_.Next(), LossOnOneMachine());
  const auto alone = std::get<GateAnswer>(farm_.Next().answer);
  for (const Series& series : farm_.evidence.series) {
    farm_.evidence.earlier[series.id] = std::vector<std::vector<double>>(20, {1, 1'000});
  }

  EXPECT_EQ(std::get<GateAnswer>(farm_.Next().answer), alone);
}

TEST_F(GateCampaignTest, CountersExplainWhereAHeadlineMetricIsWorse) {
  farm_.measure_idle_ratio = [this](const FarmRun& run) {
    return (farm_.IsCandidate(run) ? 0.4 : 0.1) + 0.001 * run.repetition;
  };

  const GateAnswer answer = farm_.RunToItsEnd(LossOnOneMachine());

  EXPECT_EQ(answer.end, GateEnd::kDecided);
  EXPECT_EQ(answer.rows.size(), 2U);
  ASSERT_EQ(answer.counters.size(), 1U);
  EXPECT_EQ(answer.counters[0].series.key.topology, "kvm-16x1");
  EXPECT_EQ(answer.counters[0].series.key.metric, "idle_ratio");
  EXPECT_EQ(answer.counters[0].verdict, Verdict::kWorse);
  EXPECT_NEAR(answer.counters[0].baseline.mean, 0.101, 0.002);
}

TEST_F(GateCampaignTest, ACounterThatStaysExplainsNothing) {
  farm_.measure_idle_ratio = [](const FarmRun& run) { return 0.1 + 0.001 * run.repetition; };

  EXPECT_TRUE(farm_.RunToItsEnd(LossOnOneMachine()).counters.empty());
}

// An A/A evaluation: each side has runs of its own, though the revision is one.
TEST_F(GateCampaignTest, ARevisionIsComparedWithItselfUnderOtherNoise) {
  farm_.gate.sides.baseline = farm_.gate.sides.candidate;
  farm_.gate.sides.rule_taken = BaselineRule::kItself;

  const CampaignStep first = farm_.Next();
  const GateAnswer answer = farm_.RunToItsEnd(
      [](const FarmRun& run) -> std::optional<double> { return Noise(run.repetition, false); });

  ASSERT_EQ(first.jobs.size(), 2U);
  EXPECT_NE(first.jobs[0].salt, first.jobs[1].salt);
  EXPECT_EQ(answer.end, GateEnd::kDecided);
  std::int64_t judged_count = 0;
  for (const ComparisonRow& row : answer.rows) {
    judged_count += row.baseline.count + row.candidate.count;
    EXPECT_EQ(row.baseline.count, row.candidate.count);
    EXPECT_EQ(row.verdict, Verdict::kNoChange);
  }
  EXPECT_EQ(farm_.brought_count, judged_count);
}

TEST_F(GateCampaignTest, PairsAreTheRepetitionsThatBothSidesHave) {
  farm_.gate.question.suite.seed_mode = SeedMode::kPaired;
  farm_.gate.question.suite.topologies = {"kvm-16x1"};
  const auto fails_once = [this](const FarmRun& run) -> std::optional<double> {
    if (run.repetition == 0 && farm_.IsCandidate(run)) return std::nullopt;
    return 1'000 * (run.repetition + 1) * (farm_.IsCandidate(run) ? 0.8 : 1.0);
  };
  farm_.Execute(farm_.Next(), fails_once);

  const auto answer = std::get<GateAnswer>(farm_.Next().answer);

  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(answer.rows[0].baseline_samples, (std::vector<double>{2'000, 3'000}));
  EXPECT_EQ(answer.rows[0].candidate_samples, (std::vector<double>{1'600, 2'400}));
}

}  // namespace
}  // namespace schedlab::server
