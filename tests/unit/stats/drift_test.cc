#include "stats/drift.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/noisy_series.h"

namespace schedlab::stats {
namespace {

using testing::MakeSeries;
using testing::SeriesSpec;

SeriesAnalysis Analyze(const SeriesSpec& spec, std::uint64_t seed) {
  return *AnalyzeSeries(MakeSeries(spec, seed), {});
}

TEST(AnalyzeSeriesTest, ALineIsADrift) {
  const SeriesAnalysis analysis =
      Analyze({.point_count = 200, .runs_per_point = 1, .slope = 0.05}, 1);

  EXPECT_TRUE(analysis.change_points.empty());
  ASSERT_EQ(analysis.drifts.size(), 1);
  EXPECT_NEAR(analysis.drifts[0].relative_change, 0.2, 0.03);
  EXPECT_NEAR(analysis.drifts[0].relative_per_point, 0.001, 0.0003);
  EXPECT_LE(analysis.drifts[0].range.first, 20);
  EXPECT_GE(analysis.drifts[0].range.last, 180);
}

TEST(AnalyzeSeriesTest, ManySmallStepsAreADrift) {
  SeriesSpec spec{.point_count = 200, .runs_per_point = 1};
  for (std::size_t at = 10; at < 200; at += 10) spec.steps.push_back({.at = at, .factor = 0.99});

  const SeriesAnalysis analysis = Analyze(spec, 1);

  EXPECT_TRUE(analysis.change_points.empty());
  ASSERT_EQ(analysis.drifts.size(), 1);
  EXPECT_LT(analysis.drifts[0].relative_change, -0.12);
}

// Series of 100 points with a step of 2 standard deviations: in how many it becomes a drift.
int CountStepsAsDrifts(std::size_t at) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const SeriesSpec spec{
        .point_count = 100, .runs_per_point = 1, .steps = {{.at = at, .factor = 1.04}}};
    if (!Analyze(spec, seed).drifts.empty()) ++count;
  }
  return count;
}

// "Strong" evidence allows one error in 20 where both are as likely beforehand.
TEST(AnalyzeSeriesTest, AStepIsNoDrift) {
  EXPECT_LE(CountStepsAsDrifts(50), 3);
  EXPECT_LE(CountStepsAsDrifts(20), 3);
}

TEST(AnalyzeSeriesTest, AStepWithoutNoiseIsNoDrift) {
  std::vector<SeriesPoint> series;
  for (int i = 0; i < 40; ++i) series.push_back({{i < 20 ? 100.0 : 110.0}});

  const SeriesAnalysis analysis = *AnalyzeSeries(series, {});

  ASSERT_EQ(analysis.change_points.size(), 1);
  EXPECT_EQ(analysis.change_points[0].index, 20);
  EXPECT_TRUE(analysis.drifts.empty());
}

TEST(AnalyzeSeriesTest, NoChangeIsNoDrift) {
  const SeriesAnalysis analysis = Analyze({.point_count = 200, .runs_per_point = 1}, 1);

  EXPECT_TRUE(analysis.change_points.empty());
  EXPECT_TRUE(analysis.drifts.empty());
}

}  // namespace
}  // namespace schedlab::stats
