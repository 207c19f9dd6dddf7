#include "stats/open_changes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

ChangePoint Point(std::int64_t first, std::int64_t index, std::int64_t last, double change = -0.1) {
  ChangePoint point;
  point.index = index;
  point.interval = {.first = first, .last = last};
  point.relative_change = change;
  return point;
}

std::vector<OpenChange> Follow(const std::vector<std::vector<ChangePoint>>& analyses) {
  std::vector<OpenChange> open;
  for (const std::vector<ChangePoint>& found : analyses) open = FollowChangePoints(open, found);
  return open;
}

TEST(FollowChangePointsTest, AChangeThatIsNotFoundAnyMoreStaysUnsupported) {
  const std::vector<OpenChange> open = Follow({{Point(8, 10, 12)}, {}});

  ASSERT_EQ(open.size(), 1);
  EXPECT_EQ(open[0].latest.index, 10);
  EXPECT_FALSE(open[0].is_supported);
}

TEST(FollowChangePointsTest, AChangeThatIsFoundAgainIsSupportedAgain) {
  const std::vector<OpenChange> open = Follow({{Point(8, 10, 12)}, {}, {Point(9, 11, 12)}});

  ASSERT_EQ(open.size(), 1);
  EXPECT_EQ(open[0].latest.index, 11);
  EXPECT_TRUE(open[0].is_supported);
}

TEST(FollowChangePointsTest, AChangeThatMovesOutOfItsIntervalIsTheSame) {
  const std::vector<OpenChange> open = Follow({{Point(10, 10, 10)}, {Point(13, 13, 14)}});

  ASSERT_EQ(open.size(), 1);
  EXPECT_EQ(open[0].latest.index, 13);
}

TEST(FollowChangePointsTest, AStepBackIsAnotherChange) {
  const std::vector<OpenChange> open = Follow({{Point(10, 10, 10)}, {Point(13, 13, 14, 0.1)}});

  ASSERT_EQ(open.size(), 2);
  EXPECT_FALSE(open[0].is_supported);
  EXPECT_TRUE(open[1].is_supported);
}

TEST(FollowChangePointsTest, OneThatWasFoundBesideAnotherIsNew) {
  const std::vector<OpenChange> open =
      Follow({{Point(10, 10, 10)}, {Point(9, 10, 11), Point(30, 31, 32)}});

  ASSERT_EQ(open.size(), 2);
  EXPECT_TRUE(open[0].is_supported);
  EXPECT_EQ(open[1].latest.index, 31);
}

// The number of times that an open change vanishes while a series grows point by point.
int CountLostIn(const std::vector<SeriesPoint>& series) {
  std::vector<OpenChange> open;
  int lost = 0;
  for (std::size_t count = 2; count <= series.size(); ++count) {
    const auto found = *DetectChangePoints(std::span(series).first(count), {});
    const std::size_t before = open.size();
    open = FollowChangePoints(open, found);
    if (open.size() < before) ++lost;
  }
  return lost;
}

TEST(FollowChangePointsTest, NothingIsLostWhileASeriesGrows) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    lost += CountLostIn(
        testing::MakeSeries({.point_count = 80,
                             .runs_per_point = 1,
                             .steps = {{.at = 30, .factor = 1.04}, {.at = 55, .factor = 1.04}}},
                            seed));
  }

  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace schedlab::stats
