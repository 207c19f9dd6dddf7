// The life of an alert: what people and later analyses make of it.

#include <gtest/gtest.h>

#include "server/find_changes.h"
#include "tests/contract/analysis_fixture.h"

namespace schedlab::testing {
namespace {

const JobShape kHistory = {.revisions = {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"}};

AlertStateChange Acknowledged(AlertId alert) {
  return {.request_id = "request 1",
          .alert = alert,
          .to = AlertState::kAcknowledged,
          .who = "ann@host",
          .why = "looking into it"};
}

AlertStateChange To(AlertId alert, AlertState state, const std::string& request_id) {
  return {.request_id = request_id,
          .alert = alert,
          .to = state,
          .who = "ann@host",
          .why = "for a reason"};
}

class AlertLifeTest : public AnalysisFixture {
 protected:
  // An open alert at the second of four revisions.
  void SetUp() override {
    job_ = Execute(kHistory);
    series_ = HeadlineOf(job_.id);
    StoreAlerts({AlertAt(series_, 1)});
    id_ = Alerts().at(0).id;
  }

  void StoreAlerts(const std::vector<Alert>& alerts) {
    const Status stored = Store(job_.id, OutcomeOf(series_, alerts));
    ASSERT_TRUE(stored.has_value()) << stored.error().message;
  }

  Alert Recovered() {
    Alert alert = AlertAt(series_, 1);
    alert.recovered = series_.points[3].revision;
    alert.cells[0].recovered = alert.recovered;
    return alert;
  }

  void Change(AlertState state, const std::string& request_id) {
    const auto changed = store_.ChangeAlertState(To(id_, state, request_id));
    ASSERT_TRUE(changed.has_value()) << changed.error().message;
  }

  AlertState State() { return ValueOf(store_.GetAlert(id_)).state; }

  std::vector<AlertEvent> History() { return ValueOf(store_.GetAlert(id_)).history; }

  Job job_;
  server::SeriesPoints series_;
  AlertId id_;
};

TEST_F(AlertLifeTest, ANewAlertHasAHistoryOfOneEvent) {
  const std::vector<AlertEvent> history = History();

  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].from, std::nullopt);
  EXPECT_EQ(history[0].to, AlertState::kOpen);
  EXPECT_EQ(history[0].who, "schedlab");
}

TEST_F(AlertLifeTest, AChangeSaysWhoAndWhyAndWhen) {
  const Alert alert = ValueOf(store_.ChangeAlertState(Acknowledged(id_)));

  EXPECT_EQ(alert.state, AlertState::kAcknowledged);
  ASSERT_EQ(alert.history.size(), 2U);
  EXPECT_EQ(alert.history[1].from, AlertState::kOpen);
  EXPECT_EQ(alert.history[1].to, AlertState::kAcknowledged);
  EXPECT_EQ(alert.history[1].who, "ann@host");
  EXPECT_EQ(alert.history[1].why, "looking into it");
  EXPECT_GE(alert.history[1].at, alert.history[0].at);
}

TEST_F(AlertLifeTest, TheSameRequestAgainChangesNothing) {
  ValueOf(store_.ChangeAlertState(Acknowledged(id_)));
  Change(AlertState::kOpen, "request 2");

  const Alert again = ValueOf(store_.ChangeAlertState(Acknowledged(id_)));

  EXPECT_EQ(again.state, AlertState::kOpen);
  EXPECT_EQ(again.history.size(), 3U);
}

TEST_F(AlertLifeTest, ARequestIdIsForOneChange) {
  ValueOf(store_.ChangeAlertState(Acknowledged(id_)));
  AlertStateChange other = Acknowledged(id_);
  other.to = AlertState::kDismissed;

  const auto refused = store_.ChangeAlertState(other);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(State(), AlertState::kAcknowledged);
}

TEST_F(AlertLifeTest, AWrongTransitionIsRefusedByName) {
  Change(AlertState::kDismissed, "request 1");

  const auto refused = store_.ChangeAlertState(To(id_, AlertState::kResolved, "request 2"));

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(refused.error().message.find("dismissed cannot become resolved, only open"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(History().size(), 2U);
}

TEST_F(AlertLifeTest, AnUnknownAlertIsNotFound) {
  const auto refused = store_.ChangeAlertState(Acknowledged({4711}));

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
}

TEST_F(AlertLifeTest, TheHistoryCannotBeChanged) {
  EXPECT_ANY_THROW(database_.Query("UPDATE alert_events SET who = 'nobody'"));
  EXPECT_ANY_THROW(database_.Query("DELETE FROM alert_events"));
}

TEST_F(AlertLifeTest, ARecoveryResolvesAndNamesItsRevision) {
  ValueOf(store_.ChangeAlertState(Acknowledged(id_)));

  StoreAlerts({Recovered()});

  EXPECT_EQ(State(), AlertState::kResolved);
  const AlertEvent last = History().back();
  EXPECT_EQ(last.from, AlertState::kAcknowledged);
  EXPECT_EQ(last.who, "schedlab");
  EXPECT_EQ(last.why, "recovered by dddddddd");
}

TEST_F(AlertLifeTest, ADismissedAlertThatIsFoundAgainStaysDismissed) {
  Change(AlertState::kDismissed, "request 1");

  StoreAlerts({AlertAt(series_, 1)});
  StoreAlerts({AlertAt(series_, 1)});

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kDismissed);
  EXPECT_EQ(History().size(), 2U);
}

TEST_F(AlertLifeTest, ADismissedAlertStaysSoInAGrowingSeries) {
  Change(AlertState::kDismissed, "request 1");
  JobShape longer = kHistory;
  longer.request_id = "longer";
  longer.revisions.push_back("eeeeeeee");
  const Job job = Execute(longer);
  const server::SeriesPoints grown = HeadlineOf(job.id);
  ASSERT_EQ(grown.points.size(), 5U);
  Alert moved = AlertAt(grown, 2);
  moved.interval_first = grown.points[1].revision;
  moved.cells[0].change.interval_first = moved.interval_first;

  ASSERT_TRUE(Store(job.id, OutcomeOf(grown, {moved})).has_value());

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kDismissed);
}

TEST_F(AlertLifeTest, WhatAPersonResolvedStaysSoThoughItDidNotRecover) {
  Change(AlertState::kResolved, "request 1");

  StoreAlerts({AlertAt(series_, 1)});

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kResolved);
}

TEST_F(AlertLifeTest, WhatRecoveredStaysResolvedWhenTheRecoveryIsNotFoundAgain) {
  StoreAlerts({Recovered()});

  StoreAlerts({AlertAt(series_, 1)});

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kResolved);
}

TEST_F(AlertLifeTest, OneThatAPersonOpensAgainIsNotResolvedByTheSameRecovery) {
  StoreAlerts({Recovered()});
  Change(AlertState::kOpen, "request 1");

  StoreAlerts({Recovered()});

  EXPECT_EQ(State(), AlertState::kOpen);
}

TEST_F(AlertLifeTest, AnotherChangeOfTheSeriesIsAnotherAlertBesideADismissedOne) {
  Change(AlertState::kDismissed, "request 1");

  StoreAlerts({AlertAt(series_, 1), AlertAt(series_, 3)});

  ASSERT_EQ(Alerts().size(), 2U);
  EXPECT_EQ(Alerts()[0].state, AlertState::kOpen);
  EXPECT_EQ(Alerts()[1].state, AlertState::kDismissed);
}

TEST_F(AlertLifeTest, AWithdrawnAlertIsNotOpenedAgainByTheSameResults) {
  StoreAlerts({});
  ASSERT_EQ(State(), AlertState::kDismissed);

  StoreAlerts({AlertAt(series_, 1)});

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kDismissed);
  EXPECT_EQ(History().back().who, "schedlab");
}

TEST_F(AlertLifeTest, AWithdrawnAlertIsOpenAgainWhenMoreResultsShowIt) {
  StoreAlerts({});
  JobShape longer = kHistory;
  longer.request_id = "longer";
  longer.revisions.push_back("eeeeeeee");
  const Job job = Execute(longer);

  const server::SeriesPoints grown = HeadlineOf(job.id);
  ASSERT_TRUE(Store(job.id, OutcomeOf(grown, {AlertAt(grown, 1)})).has_value());

  EXPECT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(State(), AlertState::kOpen);
  EXPECT_EQ(History().size(), 3U);
}

TEST_F(AlertLifeTest, WhatAPersonHadInHandIsNotWithdrawn) {
  Change(AlertState::kAcknowledged, "request 1");
  Change(AlertState::kOpen, "request 2");

  StoreAlerts({});

  EXPECT_EQ(State(), AlertState::kOpen);
}

TEST_F(AlertLifeTest, PrecisionCountsByWhatBecameOfAlerts) {
  StoreAlerts({AlertAt(series_, 1), AlertAt(series_, 2), AlertAt(series_, 3)});
  Change(AlertState::kAcknowledged, "request 1");
  const AlertId newest = Alerts().at(0).id;
  ValueOf(store_.ChangeAlertState(To(newest, AlertState::kDismissed, "request 2")));

  const auto precision = ValueOf(store_.ReadPrecision("linux", 0));

  ASSERT_EQ(precision.size(), 1U);
  EXPECT_EQ(precision[0].acknowledged_count, 1);
  EXPECT_EQ(precision[0].dismissed_count, 1);
  EXPECT_EQ(precision[0].open_count, 1);
  EXPECT_EQ(precision[0].Share(), 0.5);
  EXPECT_TRUE(ValueOf(store_.ReadPrecision("another", 0)).empty());
  EXPECT_EQ(database_.Query("SET ROLE schedlab_reader; SELECT precision "
                            "FROM reporting.alert_precision WHERE project = 'linux'"),
            "0.5");
}

TEST_F(AlertLifeTest, PrecisionLooksBackOverTheDaysThatAreAskedFor) {
  database_.Query("UPDATE alerts SET created_at = now() - interval '10 days'");

  EXPECT_TRUE(ValueOf(store_.ReadPrecision("", 9)).empty());
  EXPECT_EQ(ValueOf(store_.ReadPrecision("", 11)).size(), 1U);
}

// A job with two headline series.
class AlertOfTwoSeriesTest : public AnalysisFixture {
 protected:
  void SetUp() override {
    job_ = Execute({.request_id = "two",
                    .revisions = kHistory.revisions,
                    .topologies = {"kvm-16x1", "kvm-1x16"}});
    series_ = SeriesOf(job_.id);
    ASSERT_EQ(series_.size(), 2U);
  }

  Alert AlertOn(std::size_t series, std::size_t first, std::size_t at, std::size_t last) {
    Alert alert = AlertAt(series_[series], at);
    alert.interval_first = series_[series].points[first].revision;
    alert.interval_last = series_[series].points[last].revision;
    alert.cells[0].change.interval_first = alert.interval_first;
    alert.cells[0].change.interval_last = alert.interval_last;
    return alert;
  }

  Job job_;
  std::vector<server::SeriesPoints> series_;
};

TEST_F(AlertOfTwoSeriesTest, TwoAlertsThatTurnOutToBeOneChangeAreMerged) {
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {AlertOn(0, 1, 1, 1)})).has_value());
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[1], {AlertOn(1, 2, 2, 2)})).has_value());
  ASSERT_EQ(Alerts().size(), 2U);
  const AlertId first = Alerts()[1].id;
  const AlertId second = Alerts()[0].id;
  ValueOf(store_.ChangeAlertState(Acknowledged(first)));
  Alert both = AlertOn(1, 2, 2, 2);
  both.cells.push_back(AlertOn(0, 1, 1, 2).cells[0]);

  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[1], {both})).has_value());

  const Alert lost = ValueOf(store_.GetAlert(first));
  const Alert kept = ValueOf(store_.GetAlert(second));
  EXPECT_EQ(lost.merged_into, second);
  EXPECT_EQ(lost.state, AlertState::kDismissed);
  EXPECT_EQ(kept.state, AlertState::kAcknowledged);
  EXPECT_EQ(kept.cells.size(), 2U);
  const auto precision = ValueOf(store_.ReadPrecision("", 0));
  ASSERT_EQ(precision.size(), 1U);
  EXPECT_EQ(precision[0].acknowledged_count, 1);
  EXPECT_EQ(precision[0].dismissed_count + precision[0].withdrawn_count, 0);
  const auto refused = store_.ChangeAlertState(To(first, AlertState::kOpen, "request 2"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(AlertOfTwoSeriesTest, WhatRecoveredIsOpenAgainWhenItIsFoundElsewhere) {
  Alert recovered = AlertOn(0, 1, 1, 1);
  recovered.recovered = series_[0].points[3].revision;
  recovered.cells[0].recovered = recovered.recovered;
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {recovered})).has_value());
  ASSERT_EQ(Alerts().at(0).state, AlertState::kResolved);

  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[1], {AlertOn(1, 1, 1, 1)})).has_value());

  ASSERT_EQ(Alerts().size(), 1U);
  EXPECT_EQ(Alerts()[0].state, AlertState::kOpen);
}

TEST_F(AlertOfTwoSeriesTest, AnOverlapElsewhereIsNotHiddenInADismissedAlert) {
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {AlertOn(0, 1, 1, 3)})).has_value());
  ValueOf(store_.ChangeAlertState(To(Alerts().at(0).id, AlertState::kDismissed, "request 1")));

  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[1], {AlertOn(1, 3, 3, 3)})).has_value());

  ASSERT_EQ(Alerts().size(), 2U);
  EXPECT_EQ(Alerts()[0].state, AlertState::kOpen);
}

TEST_F(AlertOfTwoSeriesTest, WhatGotBetterNeitherMovesNorHoldsUpTheAlert) {
  Alert alert = AlertOn(0, 1, 1, 1);
  AlertCell better = AlertOn(1, 1, 2, 3).cells[0];
  better.change.is_regression = false;
  better.change.effect_sd = 99;
  alert.cells.push_back(better);
  alert.cells[0].recovered = series_[0].points[3].revision;

  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {alert})).has_value());

  const Alert stored = Alerts().at(0);
  ASSERT_EQ(stored.cells.size(), 2U);
  EXPECT_TRUE(stored.cells[0].change.is_regression);
  EXPECT_EQ(stored.revision.id, "bbbbbbbb");
  EXPECT_EQ(stored.state, AlertState::kResolved);
}

TEST_F(AlertOfTwoSeriesTest, WhereItWasNotRunSinceIsSaid) {
  const Job old =
      Execute({.request_id = "old", .revisions = {"aaaaaaaa"}, .topologies = {"kvm-8x2"}});
  const server::SeriesPoints only_before = HeadlineOf(old.id);
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {AlertOn(0, 1, 1, 1)})).has_value());

  const Alert alert = ValueOf(store_.GetAlert(Alerts().at(0).id));

  ASSERT_EQ(alert.not_run.size(), 1U);
  EXPECT_EQ(alert.not_run[0].series.id, only_before.series.id);
  EXPECT_EQ(alert.not_run[0].last.id, "aaaaaaaa");
}

TEST_F(AlertOfTwoSeriesTest, WhatAnotherJobMeasuresOnBothSidesIsReadBesideTheAlert) {
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {AlertOn(0, 1, 1, 1)})).has_value());
  const Job later =
      Execute({.request_id = "later", .revisions = kHistory.revisions, .topologies = {"kvm-8x2"}});
  Execute({.request_id = "old", .revisions = {"aaaaaaaa"}, .topologies = {"kvm-4x4"}});

  const auto beside = ValueOf(store_.ReadSeriesBeside(Alerts().at(0).id));

  ASSERT_EQ(beside.size(), 2U);
  EXPECT_EQ(beside[0].series.id, series_[1].series.id);
  EXPECT_EQ(beside[1].series.id, HeadlineOf(later.id).series.id);
  EXPECT_EQ(beside[1].points.size(), kHistory.revisions.size());
}

TEST_F(AlertOfTwoSeriesTest, AnUnchangedCellThatIsStoredIsNotReadAgain) {
  Alert alert = AlertOn(0, 1, 1, 1);
  alert.unchanged.push_back({.series = series_[1].series,
                             .relative_change = 0,
                             .before = alert.cells[0].change.before,
                             .after = alert.cells[0].change.after});
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {alert})).has_value());

  EXPECT_TRUE(ValueOf(store_.ReadSeriesBeside(Alerts().at(0).id)).empty());
}

TEST_F(AlertOfTwoSeriesTest, AnExplanationReadsTheAnalysisAndTheAlertsAroundARevision) {
  ASSERT_TRUE(Store(job_.id, OutcomeOf(series_[0], {AlertOn(0, 1, 1, 2)})).has_value());
  const Series& series = series_[0].series;

  EXPECT_EQ(ValueOf(store_.FindAnalysedJob(series.id)), job_.id);
  EXPECT_EQ(ValueOf(store_.FindAlertsAround(series, series_[0].points[2].revision.ordinal)).size(),
            1U);
  EXPECT_TRUE(
      ValueOf(store_.FindAlertsAround(series, series_[0].points[3].revision.ordinal)).empty());
}

}  // namespace
}  // namespace schedlab::testing
