#include "server/store/analysis_store.h"

#include <map>
#include <string>
#include <vector>

#include "server/group_alerts.h"
#include "tests/contract/analysis_fixture.h"

namespace schedlab::testing {
namespace {

using AnalysisStoreTest = AnalysisFixture;

const JobShape kHistory = {.request_id = "history",
                           .revisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"},
                           .repetitions = 2};

TEST_F(AnalysisStoreTest, AFinishedJobIsClaimedByOne) {
  const Job job = Execute(kHistory);

  const auto first = ValueOf(store_.ClaimFinishedJob());
  const auto second = ValueOf(store_.ClaimFinishedJob());

  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->job.id, job.id);
  EXPECT_FALSE(second.has_value());
}

TEST_F(AnalysisStoreTest, ARunningJobIsNotClaimed) {
  Create(kHistory);

  EXPECT_FALSE(ValueOf(store_.ClaimFinishedJob()).has_value());
}

TEST_F(AnalysisStoreTest, AClaimThatWasNotUsedRunsOut) {
  Execute(kHistory);
  ValueOf(store_.ClaimFinishedJob());
  database_.Query("UPDATE jobs SET analysis_claimed_until = now() - interval '1 second'");

  EXPECT_TRUE(ValueOf(store_.ClaimFinishedJob()).has_value());
}

TEST_F(AnalysisStoreTest, AnAnalysedJobIsNotClaimedAgain) {
  const Job job = Execute(kHistory);

  ASSERT_TRUE(Store(job.id, {}).has_value());

  EXPECT_FALSE(ValueOf(store_.ClaimFinishedJob()).has_value());
  EXPECT_TRUE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
}

TEST_F(AnalysisStoreTest, AnUnknownJobIsNotFound) {
  server::AnalysisClaim claim;
  claim.job.id = {4711};

  const Status status = store_.StoreAnalysis(claim, 0, {});

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
}

TEST_F(AnalysisStoreTest, ChangePointsReadAsTheyWereStored) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  const StoredChangePoint expected = ChangeAt(series, 1);
  const auto changes = ValueOf(store_.ReadChangePoints(series.series.id));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].revision, expected.revision);
  EXPECT_EQ(changes[0].previous, expected.previous);
  EXPECT_EQ(changes[0].relative_change, expected.relative_change);
  EXPECT_EQ(changes[0].p_value, expected.p_value);
  EXPECT_TRUE(changes[0].is_regression);
  EXPECT_EQ(changes[0].before.stddev, 0.2);
  EXPECT_EQ(changes[0].before.maximum, 0.5);
  EXPECT_FALSE(changes[0].after.stddev.has_value());
  EXPECT_EQ(changes[0].after.count, 1);
}

TEST_F(AnalysisStoreTest, ANewAnalysisReplacesTheChangePointsOfItsSeries) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 2)})).has_value());

  const auto changes = ValueOf(store_.ReadChangePoints(series.series.id));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].revision.id, "cccccccc");
}

TEST_F(AnalysisStoreTest, AnAlertReadsAsItWasStored) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  Alert alert = AlertAt(series, 2);
  alert.unchanged.push_back({.series = series.series,
                             .relative_change = 0.001,
                             .before = alert.cells[0].change.before,
                             .after = alert.cells[0].change.after});

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {alert})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  const Alert stored = ValueOf(store_.GetAlert(Alerts()[0].id));
  EXPECT_EQ(stored.project, "linux");
  EXPECT_EQ(stored.policy, "linux-fair");
  EXPECT_EQ(stored.state, AlertState::kOpen);
  EXPECT_EQ(stored.revision, alert.revision);
  EXPECT_EQ(stored.previous, alert.previous);
  EXPECT_FALSE(stored.recovered.has_value());
  ASSERT_EQ(stored.cells.size(), 1U);
  EXPECT_EQ(stored.cells[0].series.key, series.series.key);
  EXPECT_EQ(stored.cells[0].change.effect_sd, -12.5);
  ASSERT_EQ(stored.cells[0].counters.size(), 1U);
  EXPECT_EQ(stored.cells[0].counters[0].metric, "idle_ratio");
  EXPECT_EQ(stored.cells[0].counters[0].after, 0.3);
  EXPECT_FALSE(stored.cells[0].counters[0].relative_change.has_value());
  ASSERT_EQ(stored.unchanged.size(), 1U);
  EXPECT_EQ(stored.unchanged[0].relative_change, 0.001);
  EXPECT_EQ(ValueOf(store_.CountAlerts())[AlertState::kOpen], 1);
}

TEST_F(AnalysisStoreTest, ACellNamesARunOfEitherSide) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  const Alert alert = AlertAt(series, 2);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {alert})).has_value());

  const AlertCell cell = ValueOf(store_.GetAlert(Alerts().at(0).id)).cells.at(0);

  std::map<std::string, std::int64_t> seeds;  // of repetition 0
  for (const ::schedlab::Run& run :
       ValueOf(jobs_.ListRuns(job.id, {.size = 1000, .token = ""})).items) {
    if (run.repetition == 0) seeds.emplace(run.revision, run.seed);
  }
  EXPECT_EQ(cell.previous_run, (ExampleRun{job.id, seeds.at(alert.previous.id)}));
  EXPECT_EQ(cell.revision_run, (ExampleRun{job.id, seeds.at(alert.revision.id)}));
}

TEST_F(AnalysisStoreTest, AnAlertThatIsFoundAgainKeepsItsId) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  Alert wide = AlertAt(series, 2);
  wide.interval_first = series.points[1].revision;
  wide.cells[0].change.interval_first = wide.interval_first;
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {wide})).has_value());
  const Alert first = Alerts().at(0);

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].id, first.id);
  EXPECT_EQ(Alerts()[0].created_at, first.created_at);
  EXPECT_EQ(Alerts()[0].revision.id, "bbbbbbbb");
  EXPECT_EQ(Alerts()[0].cells.size(), 1U);
}

TEST_F(AnalysisStoreTest, AnAlertElsewhereIsAnotherOne) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  const std::vector<Alert> both = {AlertAt(series, 1), AlertAt(series, 3)};

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, both)).has_value());
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, both)).has_value());

  EXPECT_EQ(Alerts().size(), 2U);
}

TEST_F(AnalysisStoreTest, AnAlertThatRecoveredIsResolved) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  Alert alert = AlertAt(series, 1);
  alert.recovered = series.points[3].revision;
  alert.cells[0].recovered = series.points[3].revision;
  alert.cells[0].recovered_relative_change = -0.01;

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {alert})).has_value());

  EXPECT_EQ(Alerts().at(0).state, AlertState::kResolved);
  EXPECT_EQ(Alerts().at(0).recovered, series.points[3].revision);
  EXPECT_EQ(Alerts().at(0).cells.at(0).recovered, series.points[3].revision);
  EXPECT_EQ(Alerts().at(0).cells.at(0).recovered_relative_change, -0.01);
  EXPECT_EQ(ValueOf(store_.CountAlerts())[AlertState::kOpen], 0);
}

TEST_F(AnalysisStoreTest, AnAlertThatIsNotFoundAnyMoreIsDismissed) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {})).has_value());

  EXPECT_EQ(Alerts().at(0).state, AlertState::kDismissed);
}

TEST_F(AnalysisStoreTest, AnAcknowledgedAlertStays) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());
  database_.Query("UPDATE alerts SET state = 'acknowledged'");

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {})).has_value());
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  EXPECT_EQ(Alerts().at(0).state, AlertState::kAcknowledged);
}

TEST_F(AnalysisStoreTest, AnalysingOneSeriesKeepsTheCellsOfOthers) {
  const Job job =
      Execute({.revisions = kHistory.revisions, .topologies = {"kvm-16x1", "kvm-1x16"}});
  const auto series = SeriesOf(job.id);
  ASSERT_EQ(series.size(), 2U);
  Alert both = AlertAt(series[0], 1);
  both.cells.push_back(AlertAt(series[1], 1).cells[0]);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {both})).has_value());

  const Alert one = AlertAt(series[1], 1);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[1], {one})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].cells.size(), 2U);
}

// A job with two headline series.
const JobShape kTwoTopologies = {.request_id = "two",
                                 .revisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"},
                                 .topologies = {"kvm-16x1", "kvm-1x16"}};

Alert RecoveredAt(Alert alert, const RevisionRef& revision) {
  alert.recovered = revision;
  for (AlertCell& cell : alert.cells) cell.recovered = revision;
  return alert;
}

TEST_F(AnalysisStoreTest, ARecoveryOfOneSeriesLeavesTheAlertOpenForTheOther) {
  const Job job = Execute(kTwoTopologies);
  const auto series = SeriesOf(job.id);
  ASSERT_EQ(series.size(), 2U);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {AlertAt(series[0], 1)})).has_value());

  const Alert recovered = RecoveredAt(AlertAt(series[1], 1), series[1].points[3].revision);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[1], {recovered})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].state, AlertState::kOpen);
  EXPECT_FALSE(Alerts()[0].recovered.has_value());
}

TEST_F(AnalysisStoreTest, AnAlertIsResolvedByTheLastSeriesThatRecovers) {
  const Job job = Execute(kTwoTopologies);
  const auto series = SeriesOf(job.id);
  ASSERT_EQ(series.size(), 2U);
  const Alert late = RecoveredAt(AlertAt(series[1], 1), series[1].points[3].revision);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[1], {late})).has_value());
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {AlertAt(series[0], 1)})).has_value());
  ASSERT_EQ(Alerts().at(0).state, AlertState::kOpen);

  const Alert early = RecoveredAt(AlertAt(series[0], 1), series[0].points[2].revision);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {early})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].state, AlertState::kResolved);
  EXPECT_EQ(Alerts()[0].recovered, series[1].points[3].revision);
}

TEST_F(AnalysisStoreTest, TheIntervalOfAnAlertIsWhatAllItsCellsHaveInCommon) {
  const Job job = Execute(kTwoTopologies);
  const auto series = SeriesOf(job.id);
  ASSERT_EQ(series.size(), 2U);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {AlertAt(series[0], 2)})).has_value());
  Alert wide = AlertAt(series[1], 1);
  wide.interval_last = series[1].points[3].revision;
  wide.cells[0].change.interval_last = wide.interval_last;

  ASSERT_TRUE(Store(job.id, OutcomeOf(series[1], {wide})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].interval_first.id, "cccccccc");
  EXPECT_EQ(Alerts()[0].interval_last.id, "cccccccc");
  EXPECT_EQ(Alerts()[0].revision.id, "cccccccc");
}

TEST_F(AnalysisStoreTest, ACellWhoseChangeIsGoneIsRemovedAndTheLastOneDismisses) {
  const Job job = Execute(kTwoTopologies);
  const auto series = SeriesOf(job.id);
  ASSERT_EQ(series.size(), 2U);
  Alert both = AlertAt(series[0], 1);
  both.cells.push_back(RecoveredAt(AlertAt(series[1], 1), series[1].points[3].revision).cells[0]);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {both})).has_value());
  ASSERT_EQ(Alerts().at(0).state, AlertState::kOpen);

  ASSERT_TRUE(Store(job.id, OutcomeOf(series[0], {})).has_value());
  const Alert pruned = Alerts().at(0);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series[1], {})).has_value());

  ASSERT_EQ(pruned.cells.size(), 1U);
  EXPECT_EQ(pruned.cells[0].series.id, series[1].series.id);
  EXPECT_EQ(pruned.state, AlertState::kResolved);
  EXPECT_EQ(Alerts().at(0).state, AlertState::kDismissed);
}

TEST_F(AnalysisStoreTest, AnAlertIsTheOneOfItsRevisionBeforeOneThatOverlaps) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  const std::vector<Alert> narrow = {AlertAt(series, 1), AlertAt(series, 3)};
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, narrow)).has_value());
  const AlertId second = Alerts().at(0).id;
  Alert wide = AlertAt(series, 3);
  wide.interval_first = series.points[1].revision;
  wide.cells[0].change.interval_first = wide.interval_first;

  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {wide})).has_value());

  EXPECT_EQ(ValueOf(store_.GetAlert(second)).state, AlertState::kOpen);
  EXPECT_EQ(ValueOf(store_.GetAlert(second)).interval_first.id, "bbbbbbbb");
}

TEST_F(AnalysisStoreTest, OverlappingRegressionsOfOneSeriesAreStoredAsTwoAlerts) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  StoredChangePoint first = ChangeAt(series, 1);
  first.interval_last = series.points[3].revision;
  StoredChangePoint second = ChangeAt(series, 3);
  second.interval_first = series.points[2].revision;
  server::AnalysisOutcome outcome;
  outcome.change_points = {{.series = series.series.id, .change_points = {first, second}}};
  outcome.alerts = server::GroupAlerts({&series, 1}, outcome.change_points);

  ASSERT_TRUE(Store(job.id, outcome).has_value());
  ASSERT_TRUE(Store(job.id, outcome).has_value());

  ASSERT_EQ(Alerts().size(), 2U);
  EXPECT_EQ(Alerts()[0].revision.id, "dddddddd");
  EXPECT_EQ(Alerts()[1].revision.id, "bbbbbbbb");
}

TEST_F(AnalysisStoreTest, AnAnalysisOfWhatWasReadBeforeAnotherWasStoredIsRefused) {
  const Job older = Execute(kHistory);
  const Job newer = Execute({.request_id = "newer", .revisions = kHistory.revisions, .salt = "b"});
  const auto slow = ValueOf(store_.ClaimFinishedJob());
  const auto quick = ValueOf(store_.ClaimFinishedJob());
  ASSERT_TRUE(slow.has_value() && quick.has_value());
  const server::AnalysisInput read = ValueOf(store_.ReadSeriesOfJob(older.id));
  ASSERT_EQ(read.series.size(), 1U);
  const server::SeriesPoints series = HeadlineOf(newer.id);
  const server::AnalysisOutcome fresh = OutcomeOf(series, {AlertAt(series, 2)});
  ASSERT_TRUE(store_.StoreAnalysis(*quick, read.generation, fresh).has_value());

  const server::AnalysisOutcome stale = OutcomeOf(series, {});
  const Status refused = store_.StoreAnalysis(*slow, read.generation, stale);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kAborted);
  EXPECT_EQ(ValueOf(store_.ReadChangePoints(series.series.id)).size(), 1U);
  EXPECT_EQ(Alerts().at(0).state, AlertState::kOpen);
  const auto again = ValueOf(store_.ReadSeriesOfJob(older.id)).generation;
  EXPECT_TRUE(store_.StoreAnalysis(*slow, again, fresh).has_value());
}

TEST_F(AnalysisStoreTest, AnAnalysisWhoseClaimRanOutIsFencedOff) {
  const Job job = Execute(kHistory);
  const auto lost = ValueOf(store_.ClaimFinishedJob());
  database_.Query("UPDATE jobs SET analysis_claimed_until = now() - interval '1 second'");
  const auto held = ValueOf(store_.ClaimFinishedJob());
  ASSERT_TRUE(lost.has_value() && held.has_value());

  const Status refused = store_.StoreAnalysis(*lost, 0, {});
  const bool is_settled = ValueOf(store_.ReleaseAnalysis(*lost, "late"));

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(is_settled);
  EXPECT_TRUE(store_.StoreAnalysis(*held, 0, {}).has_value());
  EXPECT_TRUE(store_.StoreAnalysis(*held, 0, {}).has_value());
  EXPECT_TRUE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
}

TEST_F(AnalysisStoreTest, AnalysesThatFailAreTriedAgainAndThenSettleTheJob) {
  const Job job = Execute(kHistory);
  const auto first = ValueOf(store_.ClaimFinishedJob());
  EXPECT_FALSE(ValueOf(store_.ReleaseAnalysis(first.value(), "the first reason")));
  const auto second = ValueOf(store_.ClaimFinishedJob());
  EXPECT_FALSE(ValueOf(store_.ReleaseAnalysis(second.value(), "the second reason")));
  EXPECT_FALSE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);

  const auto third = ValueOf(store_.ClaimFinishedJob());
  EXPECT_TRUE(ValueOf(store_.ReleaseAnalysis(third.value(), "the last reason")));

  EXPECT_TRUE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
  EXPECT_EQ(ValueOf(jobs_.GetJob(job.id)).analysis_failure, "the last reason");
  EXPECT_FALSE(ValueOf(store_.ClaimFinishedJob()).has_value());
}

TEST_F(AnalysisStoreTest, AStoredRevisionWithoutResultsIsAPointWithoutSamples) {
  Create({.request_id = "queued", .revisions = kHistory.revisions, .salt = "never run"});
  database_.Query("DELETE FROM live_runs");
  Execute({.request_id = "first", .revisions = {"aaaaaaaa"}});
  const Job job = Execute({.request_id = "last", .revisions = {"dddddddd"}});
  database_.Query(
      "UPDATE revisions SET ordinal = position('/' || revision IN "
      "'/aaaaaaaa/bbbbbbbb/cccccccc/dddddddd')");

  const std::vector<Point> points = HeadlineOf(job.id).points;

  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].revision.id, "bbbbbbbb");
  EXPECT_TRUE(points[1].samples.empty());
  EXPECT_TRUE(points[2].samples.empty());
  EXPECT_EQ(points[3].samples.size(), 1U);
}

TEST_F(AnalysisStoreTest, AnOutcomeWithAnUnknownRevisionStoresNothing) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  Alert alert = AlertAt(series, 1);
  alert.revision.id = "eeeeeeee";

  const Status status = Store(job.id, OutcomeOf(series, {alert}));

  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(ValueOf(store_.ReadChangePoints(series.series.id)).empty());
  EXPECT_FALSE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
}

TEST_F(AnalysisStoreTest, AlertsAreListedNewestFirstInPagesAndByState) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  Alert resolved = AlertAt(series, 1);
  resolved.recovered = series.points[2].revision;
  resolved.cells[0].recovered = resolved.recovered;
  const server::AnalysisOutcome outcome = OutcomeOf(series, {resolved, AlertAt(series, 3)});
  ASSERT_TRUE(Store(job.id, outcome).has_value());

  const auto first = ValueOf(store_.ListAlerts("linux", {}, {.size = 1, .token = ""}));
  const auto second =
      ValueOf(store_.ListAlerts("linux", {}, {.size = 1, .token = first.next_token}));
  const auto open = ValueOf(store_.ListAlerts("", AlertState::kOpen, {}));

  ASSERT_EQ(first.items.size(), 1U);
  ASSERT_EQ(second.items.size(), 1U);
  EXPECT_EQ(first.items[0].revision.id, "dddddddd");
  EXPECT_EQ(second.items[0].revision.id, "bbbbbbbb");
  EXPECT_EQ(second.next_token, "");
  ASSERT_EQ(open.items.size(), 1U);
  EXPECT_EQ(open.items[0].revision.id, "dddddddd");
}

TEST_F(AnalysisStoreTest, AnUnknownAlertIsNotFound) {
  const auto alert = store_.GetAlert({4711});

  ASSERT_FALSE(alert.has_value());
  EXPECT_EQ(alert.error().code, ErrorCode::kNotFound);
}

TEST_F(AnalysisStoreTest, DashboardsReadAlertsAndChangePointsAsTheReader) {
  const Job job = Execute(kHistory);
  const server::SeriesPoints series = HeadlineOf(job.id);
  ASSERT_TRUE(Store(job.id, OutcomeOf(series, {AlertAt(series, 1)})).has_value());

  const std::string alert = database_.Query(
      "SET ROLE schedlab_reader; SELECT concat_ws(' ', state, revision, previous_revision, "
      "cell_count, round(relative_change::numeric, 2)) FROM reporting.alerts");
  const std::string change = database_.Query(
      "SET ROLE schedlab_reader; SELECT concat_ws(' ', revision, is_regression, subject) "
      "FROM reporting.change_points");

  EXPECT_EQ(alert, "open bbbbbbbb aaaaaaaa 1 -0.33");
  EXPECT_EQ(change, "bbbbbbbb t sched: change \"bbbbbbbb\"");
}

}  // namespace
}  // namespace schedlab::testing
