#include "server/campaigns/bisection_campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/unit/server/bisection_farm.h"

namespace schedlab::server {
namespace {

constexpr std::int64_t kCulprit = 5;  // 23f0d2093c78
constexpr const char* kCulpritId = "23f0d2093c789e612185180c468fa09063834e87";

// Half a percent around 1000, other for each commit and repetition.
double Noise(const ProbedRun& run) {
  constexpr std::array<double, 8> kOffsets = {-3, 1, 4, -2, 3, -4, 2, -1};
  const auto index = static_cast<std::size_t>(5 * run.ordinal + 3 * run.repetition);
  return 1'000 + kOffsets[index % kOffsets.size()];
}

// A fifth is lost at the culprit.
std::optional<double> Loss(const ProbedRun& run) {
  return Noise(run) * (run.ordinal >= kCulprit ? 0.8 : 1.0);
}

std::optional<double> NoLoss(const ProbedRun& run) { return Noise(run); }

const CommitRuns* RunsOf(const BisectionAnswer& answer, std::int64_t ordinal) {
  const auto found =
      std::find_if(answer.runs.begin(), answer.runs.end(),
                   [ordinal](const CommitRuns& runs) { return runs.revision.ordinal == ordinal; });
  return found == answer.runs.end() ? nullptr : &*found;
}

class BisectionCampaignTest : public ::testing::Test {
 protected:
  BisectionFarm farm_;
};

TEST_F(BisectionCampaignTest, TheFirstRoundIsBothEndsForAllWorkers) {
  const CampaignStep step = farm_.Next();

  ASSERT_EQ(step.jobs.size(), 1U);
  EXPECT_EQ(step.jobs[0].repetitions, 2);
  ASSERT_EQ(step.jobs[0].policies.size(), 2U);
  EXPECT_EQ(step.jobs[0].policies[0].revisions, farm_.bisection.range.good.id);
  EXPECT_EQ(step.jobs[0].policies[1].revisions, farm_.bisection.range.bad.id);
  EXPECT_FALSE(std::get<BisectionAnswer>(step.answer).outcome.has_value());
}

TEST_F(BisectionCampaignTest, FindsTheCommitAndItsSize) {
  const BisectionAnswer answer = farm_.RunToItsEnd(Loss);

  ASSERT_EQ(answer.outcome, BisectionOutcome::kCulprit);
  ASSERT_EQ(answer.culprits.size(), 1U);
  const BisectionCulprit& culprit = answer.culprits[0];
  EXPECT_EQ(culprit.revision.id, kCulpritId);
  EXPECT_EQ(culprit.revision.subject, "sched: Factor out code to should_we_balance()");
  EXPECT_TRUE(culprit.is_confirmed);
  EXPECT_GE(culprit.probability, 0.95);
  EXPECT_NEAR(culprit.step, -0.2, 0.01);
  EXPECT_LT(culprit.step_interval.low, -0.2);
  EXPECT_GT(culprit.step_interval.high, -0.2);
  ASSERT_EQ(answer.smallest_set.size(), 1U);
  EXPECT_EQ(answer.smallest_set[0].id, kCulpritId);
}

TEST_F(BisectionCampaignTest, TellsTheLikeliestWhileItGoesOn) {
  farm_.Execute(farm_.Next(), Loss);

  const auto answer = std::get<BisectionAnswer>(farm_.Next().answer);

  EXPECT_FALSE(answer.outcome.has_value());
  ASSERT_EQ(answer.likeliest.size(), 3U);
  EXPECT_GE(answer.likeliest[0].probability, answer.likeliest[1].probability);
  EXPECT_NEAR(answer.difference, -0.2, 0.01);
  ASSERT_NE(RunsOf(answer, 0), nullptr);
  EXPECT_EQ(RunsOf(answer, 0)->count, 2);
}

TEST_F(BisectionCampaignTest, AStepFollowsFromWhatIsStoredAlone) {
  farm_.Execute(farm_.Next(), Loss);
  farm_.Execute(farm_.Next(), Loss);
  std::reverse(farm_.evidence.runs.begin(), farm_.evidence.runs.end());

  const CampaignStep first = farm_.Next();
  std::reverse(farm_.evidence.runs.begin(), farm_.evidence.runs.end());
  const CampaignStep second = farm_.Next();

  EXPECT_EQ(first.jobs, second.jobs);
  EXPECT_EQ(first.answer, second.answer);
}

TEST_F(BisectionCampaignTest, ARepeatedBisectionFindsEveryRun) {
  const BisectionAnswer first = farm_.RunToItsEnd(Loss);
  const std::int64_t brought_count = farm_.brought_count;
  farm_.so_far = {};
  farm_.evidence.runs.clear();
  farm_.round_count = 0;

  const BisectionAnswer second = farm_.RunToItsEnd(Loss);

  EXPECT_EQ(first, second);
  EXPECT_EQ(farm_.brought_count, 2 * brought_count);
}

TEST_F(BisectionCampaignTest, EndsThatDoNotDifferAreNotSearched) {
  const BisectionAnswer answer = farm_.RunToItsEnd(NoLoss);

  EXPECT_EQ(answer.outcome, BisectionOutcome::kNotReproduced);
  EXPECT_TRUE(answer.culprits.empty());
  EXPECT_EQ(answer.runs.size(), 2U);
}

TEST_F(BisectionCampaignTest, TheBudgetIsNeverExceeded) {
  farm_.run_budget = 11;

  const BisectionAnswer answer = farm_.RunToItsEnd(Loss);

  EXPECT_LE(farm_.brought_count, 11);
  EXPECT_EQ(answer.outcome, BisectionOutcome::kUndecided);
  EXPECT_NE(answer.reason.find("budget"), std::string::npos) << answer.reason;
}

TEST_F(BisectionCampaignTest, WithoutABudgetNothingIsRun) {
  farm_.run_budget = 0;

  const CampaignStep step = farm_.Next();

  EXPECT_TRUE(step.jobs.empty());
  EXPECT_EQ(std::get<BisectionAnswer>(step.answer).outcome, BisectionOutcome::kUndecided);
}

TEST_F(BisectionCampaignTest, ACommitThatFailsThreeTimesIsSkippedAndToldOf) {
  std::set<std::int64_t> probed;
  const auto fails_at_the_culprit = [&probed](const ProbedRun& run) -> std::optional<double> {
    probed.insert(run.ordinal);
    if (run.ordinal == kCulprit) return std::nullopt;
    return Loss(run);
  };

  const BisectionAnswer answer = farm_.RunToItsEnd(fails_at_the_culprit);

  ASSERT_EQ(probed.count(kCulprit), 1U);
  ASSERT_NE(RunsOf(answer, kCulprit), nullptr);
  EXPECT_TRUE(RunsOf(answer, kCulprit)->is_skipped);
  EXPECT_GE(RunsOf(answer, kCulprit)->failed_count, 3);
  EXPECT_EQ(RunsOf(answer, kCulprit)->failure, "the machine is on fire");
  EXPECT_EQ(answer.outcome, BisectionOutcome::kSkippedRange);
  ASSERT_EQ(answer.culprits.size(), 1U);
  EXPECT_EQ(answer.culprits[0].candidates.size(), 2U);
}

TEST_F(BisectionCampaignTest, ARunThatFailedOnceIsTriedAgain) {
  const auto fails_in_the_first_round = [](const ProbedRun& run) -> std::optional<double> {
    if (run.round == 1 && run.ordinal == 0 && run.repetition == 1) return std::nullopt;
    return Loss(run);
  };

  const BisectionAnswer answer = farm_.RunToItsEnd(fails_in_the_first_round);

  EXPECT_EQ(answer.outcome, BisectionOutcome::kCulprit);
  EXPECT_EQ(RunsOf(answer, 0)->failed_count, 1);
  EXPECT_FALSE(RunsOf(answer, 0)->is_skipped);
}

TEST_F(BisectionCampaignTest, AnEndThatCannotBeRunEndsItWithTheReason) {
  const auto fails_at_the_good_end = [](const ProbedRun& run) -> std::optional<double> {
    if (run.ordinal == 0) return std::nullopt;
    return Loss(run);
  };

  const BisectionAnswer answer = farm_.RunToItsEnd(fails_at_the_good_end);

  EXPECT_EQ(answer.outcome, BisectionOutcome::kUndecided);
  EXPECT_NE(answer.reason.find("runs of the good end failed"), std::string::npos) << answer.reason;
  EXPECT_NE(answer.reason.find("the machine is on fire"), std::string::npos) << answer.reason;
}

TEST_F(BisectionCampaignTest, ASkippedCommitIsNeverRun) {
  farm_.bisection.question.skipped = {kCulpritId};
  farm_.Settle();
  std::set<std::int64_t> probed;
  const auto watched = [&probed](const ProbedRun& run) {
    probed.insert(run.ordinal);
    return Loss(run);
  };

  const BisectionAnswer answer = farm_.RunToItsEnd(watched);

  EXPECT_EQ(probed.count(kCulprit), 0U);
  EXPECT_EQ(answer.outcome, BisectionOutcome::kSkippedRange);
}

TEST_F(BisectionCampaignTest, ARoundHasNoMoreRunsThanWorkers) {
  CampaignStep step = farm_.Next();
  std::int64_t most = 0;
  while (!step.jobs.empty()) {
    const std::int64_t before = farm_.brought_count;
    farm_.Execute(step, Loss);
    most = std::max(most, farm_.brought_count - before);
    step = farm_.Next();
  }

  EXPECT_EQ(most, 4);
}

TEST(BisectionRangeTest, RefusesAGoodRevisionAfterTheBadOne) {
  BisectionFarm farm;
  std::swap(farm.bisection.question.good, farm.bisection.question.bad);

  const Result<BisectionRange> range = ResolveRange(farm.catalog, farm.bisection.question);

  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, ErrorCode::kFailedPrecondition);
}

TEST(BisectionRangeTest, RefusesASkippedEndAndAnUnknownMetric) {
  BisectionFarm farm;
  BisectionQuestion skipped_end = farm.bisection.question;
  skipped_end.skipped = {"v3.11"};
  BisectionQuestion unknown = farm.bisection.question;
  unknown.metric = "files_per_second";

  EXPECT_EQ(ResolveRange(farm.catalog, skipped_end).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ResolveRange(farm.catalog, unknown).error().code, ErrorCode::kNotFound);
}

TEST(BisectionRangeTest, TakesTheMetricsOwnMinimumEffectUnlessOneIsGiven) {
  BisectionFarm farm;
  const double own = farm.bisection.range.minimum_effect;
  farm.bisection.question.minimum_effect = 0.5;
  farm.Settle();

  EXPECT_EQ(own, (*farm.catalog.FindMetric("files_per_sec"))->minimum_effect);
  EXPECT_EQ(farm.bisection.range.minimum_effect, 0.5);
}

TEST(BisectionRangeTest, AnotherHistoryThanAtFirstIsTold) {
  BisectionFarm farm;
  farm.bisection.range.commit_count += 1;

  const Result<BisectionCommits> commits = CommitsOf(farm.catalog, farm.bisection);

  ASSERT_FALSE(commits);
  EXPECT_EQ(commits.error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace schedlab::server
