#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "server/campaigns/bisection_range.h"
#include "tests/contract/campaign_fixture.h"

namespace schedlab::testing {
namespace {

constexpr const char* kCulprit = "23f0d2093c789e612185180c468fa09063834e87";
constexpr std::int64_t kCulpritOrdinal = 5;

// A bisection of fs_mark, whose culprit loses a fifth. Every step is taken by a coordinator that
// has just started.
class BisectionLoopTest : public CampaignFixture {
 protected:
  CampaignId CreateBisection(const std::string& request_id, std::int64_t run_budget = 200) {
    BisectionCampaign bisection;
    BisectionQuestion& question = bisection.question;
    question.probe = {.project = "linux",
                      .suite = "bisection",
                      .policies = {{.policy = "linux-fair", .revisions = "", .switches = {}}},
                      .topologies = {"kvm-16x1"},
                      .workloads = {{.workload = "fs_mark", .parameters = {}}},
                      .repetitions = 1,
                      .salt = "",
                      .metrics = {}};
    question.metric = "files_per_sec";
    question.good = "v3.11";
    question.bad = "b18855500fc4";
    question.worker_count = 4;
    bisection.range = ValueOf(server::ResolveRange(catalog_, question));
    return ValueOf(campaigns_.CreateCampaign({.request_id = request_id,
                                              .content_digest = "digest",
                                              .project = "linux",
                                              .question = bisection,
                                              .run_budget = run_budget}))
        .campaign.id;
  }

  double Value(const RunSpec& spec) const override {
    const PolicyDefinition& policy = **catalog_.FindPolicy("linux-fair");
    const Revision& revision = **FindRevision(policy, spec.policy.revision);
    const bool is_worse = revision.ordinal >= kCulpritOrdinal;
    return (1'000.0 + static_cast<double>(spec.seed % 7)) * (is_worse ? 0.8 : 1.0);
  }
};

TEST_F(BisectionLoopTest, FindsTheCulpritThroughRestartsBetweenAllRounds) {
  const Campaign bisection = RunToItsEnd(CreateBisection("first"));

  EXPECT_EQ(bisection.state, CampaignState::kFinished);
  const auto& answer = std::get<BisectionAnswer>(bisection.answer.value());
  EXPECT_EQ(answer.outcome, BisectionOutcome::kCulprit);
  ASSERT_EQ(answer.culprits.size(), 1U);
  EXPECT_EQ(answer.culprits[0].revision.id, kCulprit);
  EXPECT_GT(bisection.round, 2);
  EXPECT_EQ(database_.Query("SELECT count(*) FROM runs"), fmt::format("{}", bisection.run_count));
}

TEST_F(BisectionLoopTest, ACoordinatorThatDiesWithAClaimChangesNothingOfTheAnswer) {
  const Campaign undisturbed = RunToItsEnd(CreateBisection("undisturbed"));
  const CampaignId id = CreateBisection("disturbed");
  ASSERT_TRUE(ValueOf(campaigns_.ClaimCampaign()).has_value());  // by the one that dies
  Advance();
  const Campaign meanwhile = ValueOf(campaigns_.GetCampaign(id));
  database_.Query("UPDATE campaigns SET claimed_until = now() - interval '1 second'");

  const Campaign disturbed = RunToItsEnd(id);

  EXPECT_EQ(meanwhile.round, 0);
  EXPECT_EQ(disturbed.answer, undisturbed.answer);
  EXPECT_EQ(disturbed.round, undisturbed.round);
  EXPECT_EQ(disturbed.run_count, 0);  // the cache has every run
}

TEST_F(BisectionLoopTest, TheBudgetEndsABisection) {
  const Campaign bisection = RunToItsEnd(CreateBisection("small", 5));

  EXPECT_EQ(bisection.state, CampaignState::kFinished);
  EXPECT_LE(bisection.run_count, 5);
  EXPECT_EQ(std::get<BisectionAnswer>(bisection.answer.value()).outcome,
            BisectionOutcome::kUndecided);
}

TEST_F(BisectionLoopTest, CancellingABisectionEndsItsRuns) {
  const CampaignId id = CreateBisection("cancelled");
  Advance();

  const Campaign cancelled = ValueOf(campaigns_.CancelCampaign(id));

  EXPECT_EQ(cancelled.state, CampaignState::kCancelled);
  EXPECT_FALSE(ExecuteQueued());
}

}  // namespace
}  // namespace schedlab::testing
