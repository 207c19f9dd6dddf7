#include "server/find_changes.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/group_alerts.h"
#include "tests/unit/server/sample_series.h"

namespace schedlab::server {
namespace {

// 245k files/s, lost at revision 5, recovered at revision 9.
const std::vector<double> kLostAndRecovered = {245, 245, 245, 245, 245, 180, 180,
                                               180, 180, 246, 246, 246, 246, 246};
const std::vector<double> kLost = {245, 245, 245, 245, 245, 180, 180,
                                   180, 180, 180, 180, 180, 180, 180};
const std::vector<double> kFlat(14, 245);

Series CounterOf(const Series& series, std::int64_t id, const std::string& metric) {
  Series counter = series;
  counter.id = SeriesId{id};
  counter.key.metric = metric;
  counter.role = MetricRole::kCounter;
  return counter;
}

std::vector<SeriesId> IdsOf(const std::vector<AlertCell>& cells) {
  std::vector<SeriesId> ids;
  for (const AlertCell& cell : cells) ids.push_back(cell.series.id);
  return ids;
}

TEST(FindChangesTest, AFlatSeriesIsAnalysedAndHasNoChange) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kFlat)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.change_points.size(), 1U);
  EXPECT_EQ(analysis.outcome.change_points[0].series, SeriesId{1});
  EXPECT_TRUE(analysis.outcome.change_points[0].change_points.empty());
  EXPECT_TRUE(analysis.outcome.alerts.empty());
  EXPECT_TRUE(analysis.refused.empty());
}

TEST(FindChangesTest, ARegressionIsAnAlertThatNamesItsCommit) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  const Alert& alert = analysis.outcome.alerts[0];
  EXPECT_EQ(alert.project, "linux");
  EXPECT_EQ(alert.policy, "linux-fair");
  EXPECT_EQ(alert.state, AlertState::kOpen);
  EXPECT_EQ(alert.revision, RevisionAt(5));
  EXPECT_EQ(alert.previous, RevisionAt(4));
  EXPECT_LE(alert.interval_first.ordinal, 5);
  EXPECT_GE(alert.interval_last.ordinal, 5);
  EXPECT_EQ(alert.recovered, std::nullopt);
}

TEST(FindChangesTest, ACellHasTheSizeAndBothSidesOfTheChange) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  ASSERT_EQ(analysis.outcome.alerts[0].cells.size(), 1U);
  const StoredChangePoint& change = analysis.outcome.alerts[0].cells[0].change;
  EXPECT_TRUE(change.is_regression);
  EXPECT_NEAR(change.relative_change, 180.0 / 245 - 1, 0.01);
  EXPECT_LT(change.effect_sd, -3);
  EXPECT_EQ(change.before.count, 25);
  EXPECT_EQ(change.after.count, 45);
}

TEST(FindChangesTest, AnImprovementIsAChangePointButNoAlert) {
  std::vector<double> levels(kLost.rbegin(), kLost.rend());
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), levels)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.change_points[0].change_points.size(), 1U);
  EXPECT_FALSE(analysis.outcome.change_points[0].change_points[0].is_regression);
  EXPECT_TRUE(analysis.outcome.alerts.empty());
}

TEST(FindChangesTest, WhereLessIsBetterARiseIsTheRegression) {
  Series lower = SampleSeries(1, "kvm-16x1");
  lower.direction = Direction::kLowerIsBetter;
  std::vector<double> levels(kLost.rbegin(), kLost.rend());
  const std::vector series = {WithLevels(lower, levels)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].revision, RevisionAt(9));
}

TEST(FindChangesTest, AFixThatBringsTheLevelBackResolvesTheAlert) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLostAndRecovered)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  const Alert& alert = analysis.outcome.alerts[0];
  EXPECT_EQ(alert.state, AlertState::kResolved);
  EXPECT_EQ(alert.recovered, RevisionAt(9));
  EXPECT_EQ(alert.cells[0].recovered, RevisionAt(9));
  EXPECT_NEAR(alert.cells[0].recovered_relative_change.value_or(1), 246.0 / 245 - 1, 0.01);
}

TEST(FindChangesTest, ABetterLevelThatIsFarFromTheOldOneIsNoRecovery) {
  std::vector<double> levels = kLost;
  for (std::size_t i = 9; i < levels.size(); ++i) levels[i] = 205;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), levels)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].state, AlertState::kOpen);
  EXPECT_EQ(analysis.outcome.alerts[0].recovered, std::nullopt);
}

TEST(FindChangesTest, OneChangeInTwoScenariosIsOneAlert) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(SampleSeries(2, "kvm-8x2"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].cells.size(), 2U);
}

TEST(FindChangesTest, AnAlertIsOpenWhileOneOfItsCellsHasNotRecovered) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLostAndRecovered),
                              WithLevels(SampleSeries(2, "kvm-8x2"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].state, AlertState::kOpen);
}

TEST(FindChangesTest, TheLargestEffectStandsFirst) {
  std::vector<double> smaller = kLost;
  for (std::size_t i = 5; i < smaller.size(); ++i) smaller[i] = 220;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-8x2"), smaller),
                              WithLevels(SampleSeries(2, "kvm-16x1"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(IdsOf(analysis.outcome.alerts[0].cells), (std::vector{SeriesId{2}, SeriesId{1}}));
}

TEST(FindChangesTest, ChangesOfTwoCommitsAreTwoAlerts) {
  std::vector<double> later(14, 245);
  for (std::size_t i = 10; i < later.size(); ++i) later[i] = 180;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(SampleSeries(2, "kvm-8x2"), later)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 2U);
  EXPECT_EQ(analysis.outcome.alerts[0].revision, RevisionAt(5));
  EXPECT_EQ(analysis.outcome.alerts[1].revision, RevisionAt(10));
}

TEST(FindChangesTest, OneChangeWithAndWithoutASwitchIsOneAlert) {
  Series variant = SampleSeries(2, "kvm-16x1");
  variant.key.variant = "nohz_kick=off";
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(variant, kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].cells.size(), 2U);
}

TEST(FindChangesTest, PoliciesAreNeverOneAlert) {
  Series other = SampleSeries(2, "kvm-16x1");
  other.key.policy = "fifo";
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(other, kLost)};

  EXPECT_EQ(FindChanges(series).outcome.alerts.size(), 2U);
}

TEST(FindChangesTest, WhereTheSameMetricDidNotMoveIsSaid) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(SampleSeries(2, "kvm-1x16"), kFlat)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  ASSERT_EQ(analysis.outcome.alerts[0].unchanged.size(), 1U);
  const CellBeside& cell = analysis.outcome.alerts[0].unchanged[0];
  EXPECT_EQ(cell.series.id, SeriesId{2});
  EXPECT_NEAR(cell.relative_change, 0, 0.01);
  EXPECT_EQ(cell.before.count, 25);
  EXPECT_EQ(cell.after.count, 45);
}

TEST(FindChangesTest, WhatElseDidNotMoveIsSaidAfterTheSameMetric) {
  Series other = SampleSeries(2, "kvm-16x1");
  other.key.workload = "hackbench";
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(other, kFlat),
                              WithLevels(SampleSeries(3, "kvm-1x16"), kFlat)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  ASSERT_EQ(analysis.outcome.alerts[0].unchanged.size(), 2U);
  EXPECT_EQ(analysis.outcome.alerts[0].unchanged[0].series.id, SeriesId{3});
  EXPECT_EQ(analysis.outcome.alerts[0].unchanged[1].series.id, SeriesId{2});
}

TEST(FindChangesTest, AnotherPolicyIsNotSaidToBeUnchanged) {
  Series other = SampleSeries(2, "kvm-16x1");
  other.key.policy = "fifo";
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(other, kFlat)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_TRUE(analysis.outcome.alerts[0].unchanged.empty());
}

TEST(FindChangesTest, AnImprovementElsewhereIsNotCalledUnchanged) {
  std::vector<double> better(14, 245);
  for (std::size_t i = 5; i < better.size(); ++i) better[i] = 300;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(SampleSeries(2, "kvm-1x16"), better)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_TRUE(analysis.outcome.alerts[0].unchanged.empty());
}

TEST(FindChangesTest, WhatGotBetterInTheSameIntervalIsACellAfterWhatGotWorse) {
  std::vector<double> better(14, 245);
  for (std::size_t i = 5; i < better.size(); ++i) better[i] = 500;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-1x16"), better),
                              WithLevels(SampleSeries(2, "kvm-16x1"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(IdsOf(analysis.outcome.alerts[0].cells), (std::vector{SeriesId{2}, SeriesId{1}}));
  EXPECT_FALSE(analysis.outcome.alerts[0].cells[1].change.is_regression);
  EXPECT_EQ(analysis.outcome.alerts[0].revision, RevisionAt(5));
}

TEST(FindChangesTest, WhatGotBetterNeedsNoRecovery) {
  std::vector<double> better(14, 245);
  for (std::size_t i = 5; i < better.size(); ++i) better[i] = 300;
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLostAndRecovered),
                              WithLevels(SampleSeries(2, "kvm-1x16"), better)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_EQ(analysis.outcome.alerts[0].cells.size(), 2U);
  EXPECT_EQ(analysis.outcome.alerts[0].recovered, RevisionAt(9));
}

TEST(FindChangesTest, ASeriesThatCannotBeReadIsRefusedAndTheOthersAreAnalysed) {
  SeriesPoints broken = WithLevels(SampleSeries(1, "kvm-1x16"), kFlat);
  broken.points[3].samples[0] = std::numeric_limits<double>::quiet_NaN();
  const std::vector series = {broken, WithLevels(SampleSeries(2, "kvm-16x1"), kLost)};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.refused.size(), 1U);
  EXPECT_NE(analysis.refused[0].message.find("series 1: "), std::string::npos);
  EXPECT_EQ(analysis.outcome.alerts.size(), 1U);
}

TEST(FindChangesTest, AnUnmeasuredRevisionLiesInTheIntervalOfTheChange) {
  std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost)};
  series[0].points[4].samples.clear();

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  const Alert& alert = analysis.outcome.alerts[0];
  EXPECT_EQ(alert.revision, RevisionAt(5));
  EXPECT_EQ(alert.previous, RevisionAt(3));
  EXPECT_LE(alert.interval_first.ordinal, 4);
  EXPECT_EQ(alert.interval_last, RevisionAt(5));
}

TEST(FindChangesTest, ACellThatIsTooNoisyToTellIsNotCalledUnchanged) {
  SeriesPoints noisy = WithLevels(SampleSeries(2, "kvm-1x16"), kFlat);
  for (Point& point : noisy.points) point.samples = {100, 500, 245, 30, 900};
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost), noisy};

  const Analysis analysis = FindChanges(series);

  ASSERT_EQ(analysis.outcome.alerts.size(), 1U);
  EXPECT_TRUE(analysis.outcome.alerts[0].unchanged.empty());
}

// A series with two regressions that cannot be located well: their intervals overlap.
SeriesChangePoints TwoOverlapping(SeriesId series) {
  StoredChangePoint first;
  first.revision = RevisionAt(5);
  first.previous = RevisionAt(4);
  first.interval_first = RevisionAt(3);
  first.interval_last = RevisionAt(8);
  first.effect_sd = -4;
  first.is_regression = true;
  StoredChangePoint second = first;
  second.revision = RevisionAt(8);
  second.previous = RevisionAt(7);
  second.interval_first = RevisionAt(6);
  second.interval_last = RevisionAt(9);
  return {.series = series, .change_points = {first, second}};
}

TEST(GroupAlertsTest, OverlappingRegressionsOfOneSeriesAreTwoAlerts) {
  const std::vector series = {WithLevels(SampleSeries(1, "kvm-16x1"), kLost),
                              WithLevels(SampleSeries(2, "kvm-8x2"), kLost)};
  const std::vector change_points = {TwoOverlapping(SeriesId{1}), TwoOverlapping(SeriesId{2})};

  const std::vector<Alert> alerts = GroupAlerts(series, change_points);

  ASSERT_EQ(alerts.size(), 2U);
  EXPECT_EQ(alerts[0].revision, RevisionAt(5));
  EXPECT_EQ(IdsOf(alerts[0].cells), (std::vector{SeriesId{1}, SeriesId{2}}));
  EXPECT_EQ(alerts[1].revision, RevisionAt(8));
  EXPECT_EQ(IdsOf(alerts[1].cells), (std::vector{SeriesId{1}, SeriesId{2}}));
}

class CountersOfTest : public ::testing::Test {
 protected:
  std::vector<SeriesPoints> series_ = {WithLevels(SampleSeries(1, "kvm-16x1"), kLostAndRecovered)};
  Analysis analysis_ = FindChanges(series_);
  const AlertCell& cell_ = analysis_.outcome.alerts.at(0).cells.at(0);
  std::span<const StoredChangePoint> change_points_ =
      analysis_.outcome.change_points.at(0).change_points;

  std::vector<CounterChange> Counters(const std::vector<SeriesPoints>& counters) const {
    const auto moved = CountersOf(cell_, change_points_, counters);
    return moved ? *moved : std::vector<CounterChange>{};
  }
};

TEST_F(CountersOfTest, ACounterThatMovedIsNamedWithBothLevels) {
  std::vector<double> idle(14, 10);
  for (std::size_t i = 5; i < 9; ++i) idle[i] = 30;

  const auto counters = Counters({WithLevels(CounterOf(series_[0].series, 2, "idle_ratio"), idle)});

  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].metric, "idle_ratio");
  EXPECT_NEAR(counters[0].before, 10, 0.1);
  EXPECT_NEAR(counters[0].after, 30, 0.1);
  EXPECT_NEAR(counters[0].relative_change.value_or(0), 2, 0.05);
}

TEST_F(CountersOfTest, ACounterWithinItsNoiseIsLeftOut) {
  const auto counters =
      Counters({WithLevels(CounterOf(series_[0].series, 2, "cpu_time_per_op_ns"), kFlat)});

  EXPECT_TRUE(counters.empty());
}

TEST_F(CountersOfTest, NoMoreThanTheLimitAreKept) {
  std::vector<double> moved(14, 10);
  for (std::size_t i = 5; i < 9; ++i) moved[i] = 30;
  std::vector<SeriesPoints> counters;
  for (int i = 0; i < 12; ++i) {
    counters.push_back(
        WithLevels(CounterOf(series_[0].series, 2 + i, std::to_string(i) + "_counter"), moved));
  }

  EXPECT_EQ(Counters(counters).size(), kMaxCountersPerCell);
}

TEST_F(CountersOfTest, AFamilyLeavesRoomForOthers) {
  std::vector<double> moved(14, 10);
  std::vector<double> less(14, 10);
  for (std::size_t i = 5; i < 9; ++i) moved[i] = 40;
  for (std::size_t i = 5; i < 9; ++i) less[i] = 11;
  const Series& series = series_[0].series;

  const auto counters = Counters({WithLevels(CounterOf(series, 2, "lb_a"), moved),
                                  WithLevels(CounterOf(series, 3, "lb_b"), moved),
                                  WithLevels(CounterOf(series, 4, "lb_c"), moved),
                                  WithLevels(CounterOf(series, 5, "lb_d"), moved),
                                  WithLevels(CounterOf(series, 6, "idle_ratio"), less)});

  ASSERT_EQ(counters.size(), kMaxCountersPerFamily + 1);
  EXPECT_EQ(counters.back().metric, "idle_ratio");
}

TEST_F(CountersOfTest, AFewEventsLessAreNoInfiniteEffect) {
  Series few = CounterOf(series_[0].series, 2, "balances");
  few.unit = "count";
  std::vector<double> levels(14, 3);
  for (std::size_t i = 5; i < 9; ++i) levels[i] = 0;

  const auto counters = Counters({WithLevels(few, levels)});

  ASSERT_EQ(counters.size(), 1U);
  EXPECT_GT(counters[0].effect_sd, -3);
}

}  // namespace
}  // namespace schedlab::server
