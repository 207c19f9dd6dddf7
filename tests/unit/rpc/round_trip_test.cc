#include <gtest/gtest.h>

#include <limits>

#include "core/limits.h"
#include "proto/rpc/alerts.h"
#include "proto/rpc/bisections.h"
#include "proto/rpc/campaigns.h"
#include "proto/rpc/catalog.h"
#include "proto/rpc/comparison.h"
#include "proto/rpc/fleet.h"
#include "proto/rpc/jobs.h"
#include "proto/rpc/results.h"
#include "proto/rpc/specs.h"
#include "proto/rpc/time.h"
#include "proto/rpc/worker_sync.h"
#include "tests/support/sample_values.h"

namespace schedlab::rpc {
namespace {

using namespace schedlab::testing;  // NOLINT(google-build-using-namespace): builders only

// Through the bytes, so that what protobuf itself refuses or drops shows too.
template <class T>
void ExpectRoundTrip(const T& value) {
  const auto wire = Encode(value);
  auto received = wire;
  received.Clear();
  ASSERT_TRUE(received.ParseFromString(wire.SerializeAsString()));

  const Result<T> decoded = Decode(received);

  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, value);
}

template <class Enum>
void ExpectEnumRoundTrip(std::initializer_list<Enum> values) {
  for (const Enum value : values) {
    const Result<Enum> decoded = Decode(Encode(value));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, value);
  }
}

TEST(RoundTripTest, KeepsARunSpec) { ExpectRoundTrip(SampleRunSpec()); }

TEST(RoundTripTest, KeepsARunResult) { ExpectRoundTrip(SampleRunResult()); }

TEST(RoundTripTest, KeepsTheLargestDigest) {
  RunResult result = SampleRunResult();
  result.digest = ~std::uint64_t{0};

  ExpectRoundTrip(result);
}

TEST(RoundTripTest, KeepsAJobSpec) { ExpectRoundTrip(SampleJobSpec()); }

TEST(RoundTripTest, KeepsAJob) { ExpectRoundTrip(SampleJob()); }

TEST(RoundTripTest, KeepsAJobThatHasNotFinished) {
  Job job = SampleJob();
  job.finished_at.reset();

  ExpectRoundTrip(job);
}

TEST(RoundTripTest, KeepsARun) { ExpectRoundTrip(SampleRun()); }

TEST(RoundTripTest, KeepsARunWithoutAResult) {
  auto run = SampleRun();
  run.result.reset();

  ExpectRoundTrip(run);
}

TEST(RoundTripTest, KeepsASynchronizeRequest) {
  const AttemptRef first{.run = RunId{1}, .attempt = 2, .token = "t1"};
  const AttemptRef second{.run = RunId{2}, .attempt = 1, .token = "t2"};
  const AttemptRef third{.run = RunId{3}, .attempt = 1, .token = "t3"};

  ExpectRoundTrip(SynchronizeRequest{
      .worker = SampleWorker(),
      .running = {first},
      .finished = {{.attempt = second, .outcome = SampleRunResult()},
                   {.attempt = third,
                    .outcome = AttemptFailure{.message = "refused", .is_retryable = true}}},
      .max_wait = std::chrono::milliseconds(2500)});
}

TEST(RoundTripTest, KeepsASynchronizeResponse) {
  const AttemptRef first{.run = RunId{1}, .attempt = 2, .token = "t1"};
  const AttemptRef second{.run = RunId{2}, .attempt = 1, .token = "t2"};

  ExpectRoundTrip(SynchronizeResponse{
      .leases = {{.attempt = first, .spec = SampleRunSpec()}},
      .stop = {second},
      .receipts = {{.run = RunId{3}, .attempt = 1, .disposition = ReportDisposition::kOrphaned}},
      .next_call_in = std::chrono::microseconds(1'500'001)});
}

TEST(RoundTripTest, FitsTheLargestLeasesOfAResponseIntoAMessage) {
  Lease lease{.attempt = {.run = RunId{1}, .attempt = 1, .token = "t1"}, .spec = SampleRunSpec()};
  lease.spec.scenario.topology.cpus = *CpusFromShape("numa:64 l3:4 cluster:4 core:2 pu:2");
  lease.spec.scenario.topology.node_distances.assign(64, std::vector<std::int32_t>(64, 20));
  lease.spec.scenario.workload.document.assign(kMaxDocumentBytes, ' ');
  SynchronizeResponse response;
  response.leases.assign(static_cast<std::size_t>(kMaxLeasesPerCall), lease);

  EXPECT_EQ(lease.spec.scenario.topology.cpus.size(), static_cast<std::size_t>(kMaxCpus));
  EXPECT_LT(Encode(response).ByteSizeLong(), static_cast<std::size_t>(kMaxMessageBytes));
}

TEST(RoundTripTest, KeepsASeries) { ExpectRoundTrip(SampleSeries()); }

TEST(RoundTripTest, KeepsTheMinimumEffectOfASeries) {
  Series series = SampleSeries();
  series.minimum_effect = 0.03;

  ExpectRoundTrip(series);
}

TEST(RoundTripTest, KeepsACoverage) {
  ExpectRoundTrip(Coverage{.revision = RevisionOf("aaaaaaaa", "sched: one"),
                           .neighbours = {"bbbbbbbb", "cccccccc"},
                           .cells = {{SampleSeries(), 5, 2}, {SampleSeries(), 0, 1}}});
}

TEST(RoundTripTest, KeepsASummaryOfOneSampleWithoutAStddev) {
  ExpectRoundTrip(
      SampleSummary{.count = 1, .mean = 2, .stddev = {}, .median = 2, .minimum = 2, .maximum = 2});
}

TEST(RoundTripTest, KeepsAPointAndItsSummary) {
  const Point point{
      .revision = {.id = "aaa", .ordinal = 3, .subject = "first", .date = "2013-11-03~"},
      .samples = {3.0, 1.5, 2.25}};

  const v1::Point wire = Encode(point, SampleOfThree());

  EXPECT_EQ(*Decode(wire), point);
  EXPECT_EQ(*Decode(wire.summary()), SampleOfThree());
}

TEST(RoundTripTest, KeepsAChangePoint) { ExpectRoundTrip(SampleChangePoint()); }

TEST(RoundTripTest, KeepsAnAlert) { ExpectRoundTrip(SampleAlert()); }

TEST(RoundTripTest, KeepsAnAlertThatHasNotRecovered) {
  Alert alert = SampleAlert();
  alert.recovered.reset();
  alert.cells.front().recovered.reset();
  alert.cells.front().recovered_relative_change.reset();

  ExpectRoundTrip(alert);
}

TEST(RoundTripTest, KeepsAChangeOfAnAlertsState) {
  const AlertStateChange change{.request_id = "request",
                                .alert = AlertId{7},
                                .to = AlertState::kDismissed,
                                .who = "ann@host",
                                .why = "noise"};

  ExpectRoundTrip(change);
}

TEST(RoundTripTest, KeepsAPrecision) {
  ExpectRoundTrip(AlertPrecision{.project = "linux",
                                 .open_count = 1,
                                 .acknowledged_count = 2,
                                 .resolved_count = 3,
                                 .recovered_count = 4,
                                 .dismissed_count = 5,
                                 .withdrawn_count = 6});
}

TEST(RoundTripTest, KeepsAnExplanation) { ExpectRoundTrip(SampleExplanation()); }

TEST(RoundTripTest, KeepsAnExplanationWithoutAStep) {
  ChangeExplanation explanation = SampleExplanation();
  explanation.reason = ChangeReason::kNotMeasured;
  explanation.step.reset();
  explanation.checks.clear();
  explanation.change.reset();
  explanation.likelier.reset();

  ExpectRoundTrip(explanation);
}

TEST(RoundTripTest, KeepsAComparison) {
  const RevisionComparison comparison{.baseline = RevisionOf("aaa", "before"),
                                      .candidate = RevisionOf("bbb", "after"),
                                      .rows = {SampleComparisonRow()},
                                      .false_discovery_rate = 0.05};

  const Result<RevisionComparison> decoded = Decode(Encode(comparison));

  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, comparison);
}

TEST(RoundTripTest, KeepsACounterRowThatIsNotJudged) {
  ComparisonRow row = SampleComparisonRow();
  row.relative_change.reset();
  row.interval.reset();
  row.p_value.reset();
  row.verdict = Verdict::kNone;

  ExpectRoundTrip(row);
}

TEST(RoundTripTest, KeepsAnIntervalThatIsOpenOnOneSide) {
  ComparisonRow row = SampleComparisonRow();
  row.interval = ChangeInterval{.low = 0.1, .high = std::numeric_limits<double>::infinity()};

  ExpectRoundTrip(row);
}

TEST(RoundTripTest, KeepsAWorkloadDefinition) {
  ExpectRoundTrip(WorkloadDefinition{.name = "hackbench",
                                     .description = "groups that talk",
                                     .duration_ns = 1'000'000'000,
                                     .headline = {"elapsed_seconds"},
                                     .parameters = {{.name = "group_count",
                                                     .default_value = 4,
                                                     .minimum = 1,
                                                     .maximum = 64,
                                                     .meaning = "groups"}},
                                     .document_format = "rt-app"});
}

TEST(RoundTripTest, KeepsAPolicyDefinition) {
  ExpectRoundTrip(PolicyDefinition{.name = "linux-fair-3.4",
                                   .implementation = "linux-fair",
                                   .project = "linux",
                                   .description = "the fair class",
                                   .switches = {{.name = "wakeup",
                                                 .values = {"near", "far"},
                                                 .default_value = "far",
                                                 .meaning = "where woken tasks go"}},
                                   .revisions = {{.id = "0123456789ab",
                                                  .aliases = {"v3.12"},
                                                  .ordinal = 4,
                                                  .date = "2013-11-03",
                                                  .subject = "Linux 3.12",
                                                  .author = {},
                                                  .evidence = {},
                                                  .note = "a release",
                                                  .changes = {{"wakeup", "near"}}}}});
}

TEST(RoundTripTest, KeepsAMetric) {
  ExpectRoundTrip(MetricSpec{.name = "elapsed_seconds",
                             .unit = "s",
                             .direction = Direction::kLowerIsBetter,
                             .role = MetricRole::kHeadline,
                             .meaning = "how long it took",
                             .minimum_effect = 0.03});
}

TEST(RoundTripTest, KeepsAWorker) {
  Worker worker{.identity = SampleWorker(),
                .state = WorkerState::kDraining,
                .leased_count = 3,
                .last_seen_at = WallTime(std::chrono::microseconds(1'700'000'000'000'000))};
  worker.identity.incarnation.clear();

  ExpectRoundTrip(worker);
}

TEST(RoundTripTest, KeepsEveryEnumerator) {
  ExpectEnumRoundTrip({Executor::kSim});
  ExpectEnumRoundTrip({SeedMode::kIndependent, SeedMode::kPaired});
  ExpectEnumRoundTrip(
      {JobState::kRunning, JobState::kSucceeded, JobState::kFailed, JobState::kCancelled});
  ExpectEnumRoundTrip({RunState::kQueued, RunState::kLeased, RunState::kSucceeded,
                       RunState::kFailed, RunState::kCancelled});
  ExpectEnumRoundTrip({ReportDisposition::kAccepted, ReportDisposition::kOrphaned});
  ExpectEnumRoundTrip({Direction::kHigherIsBetter, Direction::kLowerIsBetter});
  ExpectEnumRoundTrip({AlertState::kOpen, AlertState::kAcknowledged, AlertState::kResolved,
                       AlertState::kDismissed});
  ExpectEnumRoundTrip(
      {ChangeReason::kRegression, ChangeReason::kImprovement, ChangeReason::kAnotherRevision,
       ChangeReason::kNotMeasured, ChangeReason::kNothingBefore, ChangeReason::kSmallEffect,
       ChangeReason::kNotSignificant, ChangeReason::kOneRevision, ChangeReason::kTooFewRuns,
       ChangeReason::kRunsOverlap, ChangeReason::kFalseDiscoveryRate});
  ExpectEnumRoundTrip(
      {Verdict::kNone, Verdict::kWorse, Verdict::kBetter, Verdict::kNoChange, Verdict::kUndecided});
  ExpectEnumRoundTrip({WorkerState::kActive, WorkerState::kDraining, WorkerState::kLost});
}

TEST(RoundTripTest, KeepsATimeBeforeTheEpoch) {
  const WallTime time(std::chrono::microseconds(-1'500'001));

  EXPECT_EQ(*Decode(Encode(time)), time);
}

TEST(RoundTripTest, KeepsANegativeDuration) {
  const std::chrono::microseconds duration(-1'500'001);

  EXPECT_EQ(*Decode(Encode(duration)), duration);
}

TEST(RoundTripTest, KeepsFalseAlarms) {
  ExpectRoundTrip(FalseAlarms{.project = "linux",
                              .evaluation_count = 20,
                              .alarm_count = 1,
                              .cell_count = 400,
                              .false_count = 2});
}

TEST(RoundTripTest, KeepsACampaign) { ExpectRoundTrip(SampleCampaign()); }

TEST(RoundTripTest, KeepsABisection) { ExpectRoundTrip(SampleBisection()); }

TEST(RoundTripTest, KeepsABisectionWithoutAnOutcome) {
  Campaign campaign = SampleBisection();
  std::get<BisectionAnswer>(*campaign.answer).outcome.reset();

  ExpectRoundTrip(campaign);
}

TEST(RoundTripTest, ABisectionWithoutANumberOfWorkersHasTheDefault) {
  BisectionQuestion question = std::get<BisectionCampaign>(SampleBisection().question).question;
  question.worker_count = 0;

  EXPECT_EQ(Decode(Encode(question))->worker_count, kDefaultBisectionWorkers);
}

TEST(RoundTripTest, RefusesABisectionThatCannotBe) {
  const BisectionQuestion valid = std::get<BisectionCampaign>(SampleBisection().question).question;
  BisectionQuestion crowded = valid;
  crowded.worker_count = kMaxBisectionWorkers + 1;
  BisectionQuestion wide = valid;
  wide.probe.topologies.emplace_back("kvm-1x16");
  BisectionQuestion impossible = valid;
  impossible.minimum_effect = -1;

  EXPECT_NE(Decode(Encode(crowded)).error().message.find("worker_count"), std::string::npos);
  EXPECT_NE(Decode(Encode(wide)).error().message.find("one topology"), std::string::npos);
  EXPECT_NE(Decode(Encode(impossible)).error().message.find("minimum_effect"), std::string::npos);
}

TEST(RoundTripTest, KeepsTheWordsOfBisections) {
  ExpectEnumRoundTrip(
      {ChangeDirection::kIncrease, ChangeDirection::kDecrease, ChangeDirection::kEither});
  ExpectEnumRoundTrip({BisectionOutcome::kCulprit, BisectionOutcome::kSkippedRange,
                       BisectionOutcome::kSeveral, BisectionOutcome::kGradual,
                       BisectionOutcome::kNotReproduced, BisectionOutcome::kUndecided});
}

TEST(RoundTripTest, KeepsACampaignBeforeItsFirstRound) {
  Campaign campaign = SampleCampaign();
  campaign.answer.reset();
  campaign.finished_at.reset();
  campaign.jobs.clear();
  campaign.state = CampaignState::kRunning;

  ExpectRoundTrip(campaign);
}

TEST(RoundTripTest, KeepsTheWordsOfCampaigns) {
  ExpectEnumRoundTrip({BaselineRule::kMergeBase, BaselineRule::kParent,
                       BaselineRule::kNewestMeasured, BaselineRule::kExplicit,
                       BaselineRule::kItself});
  ExpectEnumRoundTrip(
      {GateEnd::kOpen, GateEnd::kDecided, GateEnd::kLooksUsed, GateEnd::kBudgetSpent});
  ExpectEnumRoundTrip({CampaignState::kRunning, CampaignState::kFinished, CampaignState::kCancelled,
                       CampaignState::kFailed});
}

}  // namespace
}  // namespace schedlab::rpc
