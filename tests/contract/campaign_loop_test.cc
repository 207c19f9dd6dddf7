#include "server/campaigns/campaign_loop.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract/campaign_fixture.h"

namespace schedlab::testing {
namespace {

constexpr const char* kBaseline = "95a79b805b935f4a7b685aa8a117d916c638323e";
constexpr const char* kCandidate = "23f0d2093c789e612185180c468fa09063834e87";

// A gate over fs_mark on two machines, of which the candidate loses a fifth on one.
class CampaignLoopTest : public CampaignFixture {
 protected:
  CampaignId CreateGate(std::int64_t run_budget = 1'000) {
    GateCampaign gate;
    gate.question.suite = {.project = "linux",
                           .suite = "loop",
                           .policies = {{.policy = "linux-fair", .revisions = "", .switches = {}}},
                           .topologies = {"kvm-16x1", "kvm-1x16"},
                           .workloads = {{.workload = "fs_mark", .parameters = {}}},
                           .repetitions = 1,
                           .salt = "",
                           .metrics = {"files_per_sec"}};
    gate.question.candidate = kCandidate;
    gate.sides.baseline.id = kBaseline;
    gate.sides.candidate.id = kCandidate;
    return ValueOf(campaigns_.CreateCampaign({.request_id = "gate",
                                              .content_digest = "digest",
                                              .project = "linux",
                                              .question = gate,
                                              .run_budget = run_budget}))
        .campaign.id;
  }

  double Value(const RunSpec& spec) const override {
    const bool is_worse =
        spec.policy.revision == kCandidate && spec.scenario.topology.name == "kvm-16x1";
    return (1'000.0 + static_cast<double>(spec.seed % 7)) * (is_worse ? 0.8 : 1.0);
  }

  static std::map<std::string, Verdict> VerdictsOf(const Campaign& campaign) {
    std::map<std::string, Verdict> verdicts;
    for (const ComparisonRow& row : std::get<GateAnswer>(campaign.answer.value()).rows) {
      verdicts.emplace(row.series.key.topology, row.verdict);
    }
    return verdicts;
  }

  const std::map<std::string, Verdict> kTruth = {{"kvm-16x1", Verdict::kWorse},
                                                 {"kvm-1x16", Verdict::kNoChange}};
};

TEST_F(CampaignLoopTest, AGateAsksForRunsUntilEveryCellIsDecided) {
  const Campaign gate = RunToItsEnd(CreateGate());

  EXPECT_EQ(gate.state, CampaignState::kFinished);
  EXPECT_EQ(std::get<GateAnswer>(*gate.answer).end, GateEnd::kDecided);
  EXPECT_EQ(VerdictsOf(gate), kTruth);
  EXPECT_EQ(advanced_count_, gate.round + 1);
  EXPECT_NE(
      telemetry_.Serialize().find(fmt::format("schedlab_campaign_rounds_total {}\n", gate.round)),
      std::string::npos);
}

TEST_F(CampaignLoopTest, ACoordinatorThatDiesWithAClaimDelaysButLosesNothing) {
  const CampaignId id = CreateGate();
  Advance();
  ExecuteQueued();
  ASSERT_TRUE(ValueOf(campaigns_.ClaimCampaign()).has_value());  // by the one that dies
  Advance();
  const Campaign meanwhile = ValueOf(campaigns_.GetCampaign(id));
  database_.Query("UPDATE campaigns SET claimed_until = now() - interval '1 second'");

  const Campaign gate = RunToItsEnd(id);

  EXPECT_EQ(meanwhile.round, 1);
  EXPECT_EQ(gate.state, CampaignState::kFinished);
  EXPECT_EQ(VerdictsOf(gate), kTruth);
}

TEST_F(CampaignLoopTest, CoordinatorsSideBySideTakeEachStepOnce) {
  const CampaignId id = CreateGate();
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> coordinators;
  for (int i = 0; i < 3; ++i) {
    coordinators.emplace_back([this, &is_over] {
      server::CampaignLoop loop(catalog_, campaigns_, log_, telemetry_, [] {});
      while (!is_over) EXPECT_TRUE(loop.AdvanceCampaigns({}));
    });
  }

  while (ValueOf(campaigns_.GetCampaign(id)).state == CampaignState::kRunning) ExecuteQueued();
  is_over = true;
  coordinators.clear();

  const Campaign gate = ValueOf(campaigns_.GetCampaign(id));
  EXPECT_EQ(VerdictsOf(gate), kTruth);
  EXPECT_EQ(database_.Query("SELECT count(*) FROM runs"), fmt::format("{}", gate.run_count));
  EXPECT_EQ(database_.Query("SELECT count(*) FROM jobs"), fmt::format("{}", gate.jobs.size()));
  EXPECT_EQ(database_.Query("SELECT count(DISTINCT round) FROM campaign_jobs"),
            fmt::format("{}", gate.round));
}

TEST_F(CampaignLoopTest, TheBudgetEndsAGate) {
  const Campaign gate = RunToItsEnd(CreateGate(6));

  EXPECT_EQ(gate.state, CampaignState::kFinished);
  EXPECT_EQ(gate.run_count, 6);
  const auto& answer = std::get<GateAnswer>(*gate.answer);
  EXPECT_EQ(answer.end, GateEnd::kBudgetSpent);
  EXPECT_EQ(answer.rows.size() + answer.unmeasured.size(), 2U);
}

TEST_F(CampaignLoopTest, ARepeatedQuestionCostsNoRuns) {
  const Campaign first = RunToItsEnd(CreateGate());
  server::NewCampaign again{.request_id = "gate again",
                            .content_digest = "digest",
                            .project = "linux",
                            .question = first.question,
                            .run_budget = 1'000};

  const Campaign second = RunToItsEnd(ValueOf(campaigns_.CreateCampaign(again)).campaign.id);

  EXPECT_GT(first.run_count, 0);
  EXPECT_EQ(second.run_count, 0);
  EXPECT_EQ(second.answer, first.answer);
}

TEST_F(CampaignLoopTest, AQuestionThatCannotBeAskedAnyMoreHasFailedWithTheReason) {
  const CampaignId id = CreateGate();
  database_.Query(
      "UPDATE campaigns SET question_json = replace(question_json, 'kvm-1x16', 'no-such')");
  std::vector<std::string> lines;
  Log log(clock_, LogLevel::kWarn, [&lines](std::string_view line) { lines.emplace_back(line); });
  server::CampaignLoop loop(catalog_, campaigns_, log, telemetry_, [] {});

  ASSERT_TRUE(loop.AdvanceCampaigns({}));

  const Campaign gate = ValueOf(campaigns_.GetCampaign(id));
  EXPECT_EQ(gate.state, CampaignState::kFailed);
  EXPECT_NE(gate.failure.find("no-such"), std::string::npos);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(server::kMaxCampaignTries));
}

}  // namespace
}  // namespace schedlab::testing
