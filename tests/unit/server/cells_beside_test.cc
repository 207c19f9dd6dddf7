#include "server/cells_beside.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/server/sample_series.h"

namespace schedlab::server {
namespace {

const std::vector<double> kFlat(10, 245);
const std::vector<double> kLost = {245, 245, 245, 245, 245, 180, 180, 180, 180, 180};

SeriesPoints Noisy(std::int64_t id) {
  SeriesPoints noisy = WithLevels(SampleSeries(id, "kvm-4x4"), kFlat);
  for (Point& point : noisy.points) point.samples = {100, 500, 245, 30, 900};
  return noisy;
}

// An alert at the sixth revision, in series 1.
Alert AlertOfOneCell() {
  StoredChangePoint change;
  change.revision = RevisionAt(5);
  change.previous = RevisionAt(4);
  change.is_regression = true;
  Alert alert;
  alert.revision = change.revision;
  alert.previous = change.previous;
  alert.cells.emplace_back();
  alert.cells[0].series = SampleSeries(1, "kvm-16x1");
  alert.cells[0].change = change;
  return alert;
}

TEST(CellsBesideTest, WhatAnotherJobMeasuredIsAddedToWhatIsStored) {
  Alert alert = AlertOfOneCell();
  alert.unchanged.emplace_back();
  alert.unchanged[0].series = SampleSeries(2, "kvm-8x2");
  const std::vector others = {WithLevels(SampleSeries(3, "kvm-1x16"), kFlat)};

  AddCellsBeside(others, {}, alert);

  ASSERT_EQ(alert.unchanged.size(), 2U);
  EXPECT_EQ(alert.unchanged[1].series.id, SeriesId{3});
  EXPECT_EQ(alert.unchanged[1].relative_change, 0);
  EXPECT_TRUE(alert.undecided.empty());
}

TEST(CellsBesideTest, WhatIsTooNoisyToTellIsUndecided) {
  Alert alert = AlertOfOneCell();
  const std::vector others = {Noisy(3)};

  AddCellsBeside(others, {}, alert);

  EXPECT_TRUE(alert.unchanged.empty());
  ASSERT_EQ(alert.undecided.size(), 1U);
  EXPECT_EQ(alert.undecided[0].series.id, SeriesId{3});
  EXPECT_GT(alert.undecided[0].before.count, 0);
}

TEST(CellsBesideTest, ADifferenceThatNoAnalysisFoundIsUndecided) {
  Alert alert = AlertOfOneCell();
  const std::vector others = {WithLevels(SampleSeries(3, "kvm-1x16"), kLost)};

  AddCellsBeside(others, {}, alert);

  ASSERT_EQ(alert.undecided.size(), 1U);
  EXPECT_NEAR(alert.undecided[0].relative_change, 180.0 / 245 - 1, 0.01);
}

TEST(CellsBesideTest, TheSegmentsEndWhereTheSeriesOfTheAlertChangesAgain) {
  Alert alert = AlertOfOneCell();
  StoredChangePoint recovery;
  recovery.revision = RevisionAt(8);
  recovery.previous = RevisionAt(7);
  const std::vector others = {WithLevels(SampleSeries(3, "kvm-1x16"), kFlat)};
  const std::vector<StoredChangePoint> change_points = {alert.cells[0].change, recovery};

  AddCellsBeside(others, change_points, alert);

  const std::size_t runs_per_point = others[0].points[0].samples.size();
  ASSERT_EQ(alert.unchanged.size(), 1U);
  EXPECT_EQ(alert.unchanged[0].after.count, 3 * runs_per_point);
}

TEST(CellsBesideTest, WhatHasNoRunsOnOneSideIsLeftOut) {
  Alert alert = AlertOfOneCell();
  SeriesPoints only_before = WithLevels(SampleSeries(3, "kvm-1x16"), kFlat);
  only_before.points.resize(5);
  const std::vector others = {only_before};

  AddCellsBeside(others, {}, alert);

  EXPECT_TRUE(alert.unchanged.empty());
  EXPECT_TRUE(alert.undecided.empty());
}

TEST(CellsBesideTest, NoMoreThanTheLimitAreTold) {
  Alert alert = AlertOfOneCell();
  const std::vector<SeriesPoints> others(kMaxUnchangedPerAlert + 1, Noisy(3));

  AddCellsBeside(others, {}, alert);

  EXPECT_EQ(alert.undecided.size(), kMaxUnchangedPerAlert);
}

TEST(CellsBesideTest, TheCellThatChangedAtTheRevisionBoundsTheSegments) {
  Alert alert = AlertOfOneCell();
  AlertCell stronger = alert.cells[0];
  stronger.series.id = SeriesId{7};
  stronger.change.revision = RevisionAt(6);
  alert.cells.insert(alert.cells.begin(), stronger);

  EXPECT_EQ(CellOfRevision(alert).series.id, SeriesId{1});
}

}  // namespace
}  // namespace schedlab::server
