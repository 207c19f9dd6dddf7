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
