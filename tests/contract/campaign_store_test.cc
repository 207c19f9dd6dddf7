#include "server/store/campaign_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "tests/contract/analysis_fixture.h"
#include "tests/support/sample_values.h"

namespace schedlab::testing {
namespace {

class CampaignStoreTest : public AnalysisFixture {
 protected:
  static server::NewCampaign MakeCampaign(const std::string& request_id) {
    return {.request_id = request_id,
            .content_digest = "digest",
            .project = "linux",
            .question = SampleCampaign().question,
            .run_budget = 100};
  }

  CampaignId CreateOne(std::int64_t run_budget = 100) {
    server::NewCampaign campaign = MakeCampaign("campaign-1");
    campaign.run_budget = run_budget;
    return ValueOf(campaigns_.CreateCampaign(campaign)).campaign.id;
  }

  server::CampaignClaim ClaimOne() {
    const auto claim = ValueOf(campaigns_.ClaimCampaign());
    EXPECT_TRUE(claim.has_value());
    return claim.value_or(server::CampaignClaim());
  }

  // The job of a round; two revisions with two repetitions each.
  static server::NewJob RoundJob(const std::string& request_id, std::int32_t repetitions = 2) {
    return MakeJob({.request_id = request_id,
                    .revisions = {"aaaaaaaa", "bbbbbbbb"},
                    .repetitions = repetitions});
  }

  Result<Campaign> StoreRound(const server::CampaignClaim& claim, const server::NewJob& job) {
    return campaigns_.StoreRound(claim, {&job, 1}, kSoFar);
  }

  // Ends every queued run; the last of them fails.
  void ExecuteAll() {
    std::vector<AttemptReport> reports;
    for (const Lease& lease : ValueOf(jobs_.AcquireLeases(MakeWorker("w1"), 1000)).leases) {
      reports.push_back(Succeeded(lease));
    }
    ASSERT_FALSE(reports.empty());
    reports.back().outcome = AttemptFailure{.message = "it crashed", .is_retryable = false};
    ValueOf(jobs_.CompleteAttempts("w1", reports));
  }

  void ExpireClaims() {
    database_.Query("UPDATE campaigns SET claimed_until = now() - interval '1 second'");
  }

  std::string JobCount() { return database_.Query("SELECT count(*) FROM jobs"); }

  const CampaignAnswer kSoFar = GateAnswer{.end = GateEnd::kOpen};
  const CampaignAnswer kFinal = *SampleCampaign().answer;
  server::CampaignStore campaigns_{pool_};
};

TEST_F(CampaignStoreTest, ARequestIsOneCampaignHoweverOftenItIsSent) {
  const server::CreatedCampaign first = ValueOf(campaigns_.CreateCampaign(MakeCampaign("r")));

  const server::CreatedCampaign second = ValueOf(campaigns_.CreateCampaign(MakeCampaign("r")));

  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(second.campaign, first.campaign);
  EXPECT_EQ(first.campaign.question, SampleCampaign().question);
  EXPECT_EQ(first.campaign.state, CampaignState::kRunning);
}

TEST_F(CampaignStoreTest, ARequestWithOtherContentIsRefused) {
  ValueOf(campaigns_.CreateCampaign(MakeCampaign("r")));
  server::NewCampaign other = MakeCampaign("r");
  other.content_digest = "another";

  EXPECT_EQ(campaigns_.CreateCampaign(other).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(campaigns_.FindCreated("r", "another").error().code, ErrorCode::kAlreadyExists);
}

TEST_F(CampaignStoreTest, ManyCoordinatorsClaimACampaignOnce) {
  CreateOne();
  std::atomic<int> claimed_count = 0;
  std::vector<std::jthread> coordinators;

  for (int i = 0; i < 4; ++i) {
    coordinators.emplace_back([this, &claimed_count] {
      const auto claim = campaigns_.ClaimCampaign();
      if (claim && claim->has_value()) ++claimed_count;
    });
  }
  coordinators.clear();

  EXPECT_EQ(claimed_count, 1);
}

TEST_F(CampaignStoreTest, AnExpiredClaimIsTakenOverAndTheFirstHolderChangesNothing) {
  CreateOne();
  const server::CampaignClaim first = ClaimOne();
  ExpireClaims();
  const server::CampaignClaim second = ClaimOne();

  const Result<Campaign> late = StoreRound(first, RoundJob("late"));

  EXPECT_EQ(late.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(campaigns_.FinishCampaign(first, kFinal).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(JobCount(), "0");
  EXPECT_TRUE(StoreRound(second, RoundJob("in time")));
}

TEST_F(CampaignStoreTest, ARoundComesWithItsJobsAndIsNotLeftBeforeTheyEnd) {
  const CampaignId id = CreateOne();

  const Campaign stored = ValueOf(StoreRound(ClaimOne(), RoundJob("round 1")));
  const auto early = ValueOf(campaigns_.ClaimCampaign());
  ExecuteAll();
  const server::CampaignClaim next = ClaimOne();

  EXPECT_EQ(stored.round, 1);
  EXPECT_EQ(stored.run_count, 4);
  EXPECT_EQ(stored.round_runs.queued, 4);
  ASSERT_EQ(stored.jobs.size(), 1U);
  EXPECT_FALSE(early.has_value());
  EXPECT_EQ(next.campaign.id, id);
  EXPECT_EQ(next.campaign.round_runs.succeeded, 3);
  EXPECT_EQ(next.campaign.round_runs.failed, 1);
}

TEST_F(CampaignStoreTest, AStepThatBreaksOffLeavesNeitherJobsNorARound) {
  const CampaignId id = CreateOne();
  const server::CampaignClaim claim = ClaimOne();
  database_.Query("ALTER TABLE campaign_jobs ADD CONSTRAINT broken CHECK (false)");

  const Result<Campaign> broken = StoreRound(claim, RoundJob("round 1"));

  EXPECT_FALSE(broken);
  EXPECT_EQ(JobCount(), "0");
  EXPECT_EQ(ValueOf(campaigns_.GetCampaign(id)).round, 0);
  database_.Query("ALTER TABLE campaign_jobs DROP CONSTRAINT broken");
  EXPECT_EQ(ValueOf(StoreRound(claim, RoundJob("round 1"))).round, 1);
  EXPECT_EQ(JobCount(), "1");
}

TEST_F(CampaignStoreTest, ARepeatedStepIsRefusedAndItsJobsAreThoseOfTheFirst) {
  CreateOne();
  const server::CampaignClaim claim = ClaimOne();
  ValueOf(StoreRound(claim, RoundJob("round 1")));

  const Result<Campaign> repeated = StoreRound(claim, RoundJob("round 1"));

  EXPECT_EQ(repeated.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(JobCount(), "1");
}

TEST_F(CampaignStoreTest, ARoundBeyondTheBudgetChangesNothing) {
  const CampaignId id = CreateOne(3);

  const Result<Campaign> refused = StoreRound(ClaimOne(), RoundJob("round 1"));

  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(JobCount(), "0");
  EXPECT_EQ(ValueOf(campaigns_.GetCampaign(id)).run_count, 0);
}

TEST_F(CampaignStoreTest, RunsThatAreKnownAreFree) {
  CreateOne();
  Execute({.request_id = "earlier", .revisions = {"aaaaaaaa", "bbbbbbbb"}, .repetitions = 2});

  const Campaign stored = ValueOf(StoreRound(ClaimOne(), RoundJob("round 1", 3)));

  EXPECT_EQ(stored.round_runs.total(), 6);
  EXPECT_EQ(stored.run_count, 2);
}

TEST_F(CampaignStoreTest, EvidenceHasARunOnceWithTheRoundThatAskedForItFirst) {
  const CampaignId id = CreateOne();
  ValueOf(StoreRound(ClaimOne(), RoundJob("round 1", 2)));
  ExecuteAll();
  ValueOf(StoreRound(ClaimOne(), RoundJob("round 2", 3)));
  ExecuteAll();

  const server::CampaignEvidence evidence = ValueOf(campaigns_.ReadEvidence(id));

  std::map<std::pair<std::int32_t, RunState>, int> counts;
  for (const server::CampaignRun& run : evidence.runs) ++counts[{run.round, run.state}];
  // The run that failed in the first round is tried again in the second, beside two new ones.
  EXPECT_EQ(counts,
            (std::map<std::pair<std::int32_t, RunState>, int>{{{1, RunState::kSucceeded}, 3},
                                                              {{1, RunState::kFailed}, 1},
                                                              {{2, RunState::kSucceeded}, 2},
                                                              {{2, RunState::kFailed}, 1}}));
  EXPECT_EQ(evidence.runs.front().worker_name, "w1");
  EXPECT_EQ(evidence.runs.front().metrics.at("files_per_sec"), 100);
  EXPECT_EQ(evidence.series.size(), 3U);
}

// Those of the campaign's own revisions are evidence, not history; later ones could change a step.
TEST_F(CampaignStoreTest, EarlierSamplesAreOfOtherRevisionsAndBeforeTheCampaign) {
  Execute({.request_id = "earlier", .revisions = {"aaaaaaaa", "cccccccc"}, .repetitions = 3});
  Execute({.request_id = "single", .revisions = {"dddddddd"}, .repetitions = 1});
  const CampaignId id = CreateOne();
  ValueOf(StoreRound(ClaimOne(), RoundJob("round 1")));
  ExecuteAll();
  Execute({.request_id = "later", .revisions = {"eeeeeeee"}, .repetitions = 2});

  const server::CampaignEvidence evidence = ValueOf(campaigns_.ReadEvidence(id));

  ASSERT_EQ(evidence.earlier.size(), 1U);
  const auto& [series, samples] = *evidence.earlier.begin();
  const auto of_series = [id = series](const Series& one) { return one.id == id; };
  const auto found = std::find_if(evidence.series.begin(), evidence.series.end(), of_series);
  ASSERT_NE(found, evidence.series.end());
  EXPECT_EQ(found->key.metric, "files_per_sec");
  EXPECT_EQ(samples, (std::vector<std::vector<double>>{{200, 201, 202}}));
}

TEST_F(CampaignStoreTest, CancellingEndsTheJobsAndRefusesTheStepUnderWay) {
  const CampaignId id = CreateOne();
  const JobId job = ValueOf(StoreRound(ClaimOne(), RoundJob("round 1"))).jobs.at(0).job;
  const CampaignId other =
      ValueOf(campaigns_.CreateCampaign(MakeCampaign("campaign-2"))).campaign.id;
  const server::CampaignClaim under_way = ClaimOne();

  const Campaign cancelled = ValueOf(campaigns_.CancelCampaign(id));
  ValueOf(campaigns_.CancelCampaign(other));

  EXPECT_EQ(cancelled.state, CampaignState::kCancelled);
  EXPECT_TRUE(cancelled.finished_at.has_value());
  EXPECT_EQ(ValueOf(jobs_.GetJob(job)).state, JobState::kCancelled);
  EXPECT_EQ(StoreRound(under_way, RoundJob("x")).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(ValueOf(campaigns_.ClaimCampaign()).has_value());
  EXPECT_EQ(ValueOf(campaigns_.CancelCampaign(id)), cancelled);
}

TEST_F(CampaignStoreTest, AnEndMayBeRepeatedAndIsFinal) {
  const CampaignId id = CreateOne();
  const server::CampaignClaim claim = ClaimOne();

  EXPECT_TRUE(campaigns_.FinishCampaign(claim, kFinal));
  EXPECT_TRUE(campaigns_.FinishCampaign(claim, kFinal));

  const Campaign campaign = ValueOf(campaigns_.GetCampaign(id));
  EXPECT_EQ(campaign.state, CampaignState::kFinished);
  EXPECT_EQ(campaign.answer, kFinal);
  EXPECT_EQ(StoreRound(claim, RoundJob("x")).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(ValueOf(campaigns_.CountRunning()), 0);
}

TEST_F(CampaignStoreTest, ACampaignWhoseStepKeepsFailingHasFailed) {
  const CampaignId id = CreateOne();
  for (std::int32_t i = 1; i < server::kMaxCampaignTries; ++i) {
    EXPECT_FALSE(ValueOf(campaigns_.ReleaseCampaign(ClaimOne(), "no such policy")));
  }

  const bool has_failed = ValueOf(campaigns_.ReleaseCampaign(ClaimOne(), "no such policy"));

  EXPECT_TRUE(has_failed);
  EXPECT_EQ(ValueOf(campaigns_.GetCampaign(id)).state, CampaignState::kFailed);
  EXPECT_EQ(ValueOf(campaigns_.GetCampaign(id)).failure, "no such policy");
}

TEST_F(CampaignStoreTest, ACampaignThatCannotBeReadDoesNotStandBeforeOthers) {
  const CampaignId broken = CreateOne();
  database_.Query(
      fmt::format("UPDATE campaigns SET question_json = '[]' WHERE id = {}", broken.value));
  const CampaignId whole =
      ValueOf(campaigns_.CreateCampaign(MakeCampaign("campaign-2"))).campaign.id;

  const auto first = ValueOf(campaigns_.ClaimCampaign());
  const server::CampaignClaim second = ClaimOne();

  EXPECT_FALSE(first.has_value());
  EXPECT_EQ(second.campaign.id, whole);
}

TEST_F(CampaignStoreTest, ListsTheNewestFirstInPagesWithoutAnswers) {
  for (int i = 0; i < 3; ++i) {
    ValueOf(campaigns_.CreateCampaign(MakeCampaign(fmt::format("r{}", i))));
  }
  ASSERT_TRUE(campaigns_.FinishCampaign(ClaimOne(), kFinal));

  const auto first = ValueOf(campaigns_.ListCampaigns("linux", {.size = 2, .token = ""}));
  const auto second =
      ValueOf(campaigns_.ListCampaigns("linux", {.size = 2, .token = first.next_token}));

  ASSERT_EQ(first.items.size(), 2U);
  ASSERT_EQ(second.items.size(), 1U);
  EXPECT_GT(first.items[0].id, first.items[1].id);
  EXPECT_EQ(second.items[0].state, CampaignState::kFinished);
  EXPECT_FALSE(second.items[0].answer.has_value());
  EXPECT_TRUE(ValueOf(campaigns_.ListCampaigns("bsd", {})).items.empty());
}

TEST_F(CampaignStoreTest, FindsTheNewestRevisionWithResultsOfTheScenario) {
  const server::NewJob job = MakeJob({.revisions = {"aaaaaaaa", "bbbbbbbb"}});
  Execute({.revisions = {"aaaaaaaa", "bbbbbbbb"}});
  server::MeasuredSearch search{.project = "linux",
                                .policy = "linux-fair",
                                .before_ordinal = 5,
                                .scenario_digests = job.expanded.scenario_digests,
                                .executor = Executor::kSim,
                                .engine_version = "1"};

  EXPECT_EQ(ValueOf(campaigns_.FindNewestMeasured(search)), "bbbbbbbb");
  search.before_ordinal = 1;
  EXPECT_EQ(ValueOf(campaigns_.FindNewestMeasured(search)), "aaaaaaaa");
  search.engine_version = "2";
  EXPECT_EQ(ValueOf(campaigns_.FindNewestMeasured(search)), std::nullopt);
}

class AaEvaluationStoreTest : public CampaignStoreTest {
 protected:
  static constexpr std::chrono::hours kInterval{1};

  // A worker has called and is idle.
  void SetUp() override { ValueOf(jobs_.Reconcile({.identity = MakeWorker("w1"), .running = {}})); }

  std::optional<server::AaSubject> Find() {
    return ValueOf(campaigns_.FindAaSubject(kInterval, "1"));
  }

  // An evaluation of `count` cells that has ended.
  void Evaluate(const std::string& request_id, const std::vector<Verdict>& verdicts) {
    server::NewCampaign campaign = MakeCampaign(request_id);
    auto gate = std::get<GateCampaign>(campaign.question);
    gate.sides.baseline = gate.sides.candidate;
    gate.sides.rule_taken = BaselineRule::kItself;
    campaign.question = gate;
    ValueOf(campaigns_.CreateCampaign(campaign));
    GateAnswer answer = std::get<GateAnswer>(kFinal);
    const ComparisonRow row = answer.rows.at(0);
    answer.rows.clear();
    for (const Verdict verdict : verdicts) {
      answer.rows.push_back(row);
      answer.rows.back().verdict = verdict;
    }
    ASSERT_TRUE(campaigns_.FinishCampaign(ClaimOne(), answer));
  }
};

TEST_F(AaEvaluationStoreTest, TheSubjectIsTheNewestRevisionOfTheNewestJobOfPeople) {
  Execute({.request_id = "older", .revisions = {"cccccccc"}});
  Execute({.request_id = "newer", .revisions = {"aaaaaaaa", "bbbbbbbb"}});
  const CampaignId id = CreateOne();
  ValueOf(StoreRound(ClaimOne(), RoundJob("round 1", 3)));
  ExecuteAll();
  ASSERT_TRUE(campaigns_.CancelCampaign(id));

  const auto subject = Find();

  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->revision, "bbbbbbbb");
  EXPECT_EQ(subject->suite.project, "linux");
  EXPECT_EQ(subject->policy, "linux-fair");
}

TEST_F(AaEvaluationStoreTest, NothingIsEvaluatedWhileWorkWaitsOrNobodyCouldDoIt) {
  EXPECT_FALSE(Find()) << "nothing was measured";
  Execute({.request_id = "measured", .revisions = {"aaaaaaaa"}});
  ASSERT_TRUE(Find());
  EXPECT_FALSE(ValueOf(campaigns_.FindAaSubject(kInterval, "2"))) << "of another engine";
  const Job job = Create({.request_id = "waiting", .revisions = {"bbbbbbbb"}});
  EXPECT_FALSE(Find());
  ValueOf(jobs_.CancelJob(job.id));
  ASSERT_TRUE(Find());
  database_.Query("UPDATE workers SET last_seen_at = now() - interval '2 minutes'");
  EXPECT_FALSE(Find());
}

TEST_F(AaEvaluationStoreTest, APeriodHasOneEvaluation) {
  Execute({.request_id = "measured", .revisions = {"aaaaaaaa"}});
  const auto subject = Find();
  ASSERT_TRUE(subject);

  Evaluate(fmt::format("{}{}", server::kAaRequestPrefix, subject->period), {Verdict::kNoChange});

  EXPECT_FALSE(Find());
}

TEST_F(AaEvaluationStoreTest, WhatIsCalledWorseOrBetterIsAFalseAlarm) {
  Evaluate("a/a 1", {Verdict::kNoChange, Verdict::kUndecided});
  Evaluate("a/a 2", {Verdict::kWorse, Verdict::kBetter, Verdict::kNoChange});
  server::NewCampaign gate = MakeCampaign("a gate of people");
  ValueOf(campaigns_.CreateCampaign(gate));
  ASSERT_TRUE(campaigns_.FinishCampaign(ClaimOne(), kFinal));

  const std::vector<FalseAlarms> projects = ValueOf(campaigns_.CountFalseAlarms("", 0));

  EXPECT_EQ(projects, (std::vector<FalseAlarms>{{.project = "linux",
                                                 .evaluation_count = 2,
                                                 .alarm_count = 1,
                                                 .cell_count = 5,
                                                 .false_count = 2}}));
  EXPECT_EQ(ValueOf(campaigns_.CountFalseAlarms("linux", 1)), projects);
  EXPECT_TRUE(ValueOf(campaigns_.CountFalseAlarms("other", 0)).empty());
  EXPECT_EQ(database_.Query("SELECT sum(false_count) FROM reporting.aa_evaluations"), "2");
}

TEST_F(CampaignStoreTest, ReadersSeeCampaignsAndVerdicts) {
  CreateOne();
  ASSERT_TRUE(campaigns_.FinishCampaign(ClaimOne(), kFinal));

  EXPECT_EQ(database_.Query("SELECT state || ' ' || run_budget FROM reporting.campaigns"),
            "finished 100");
  EXPECT_EQ(database_.Query("SELECT revision || ' ' || baseline_revision || ' ' || verdict || ' ' "
                            "|| baseline_n FROM reporting.gate_verdicts"),
            "bbb aaa worse 3");
}

}  // namespace
}  // namespace schedlab::testing
