#include "client/noise_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/client/compared_values.h"
#include "tests/unit/client/golden.h"

namespace schedlab::client {
namespace {

// Ascending runs of each revision.
SeriesHistory HistoryOf(const std::vector<std::vector<double>>& runs) {
  SeriesHistory history;
  history.series = SeriesOf("kvm-16x1", "files_per_sec", MetricRole::kHeadline);
  history.series.minimum_effect = 0.03;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string id(12, static_cast<char>('a' + i));
    history.points.push_back({{id, static_cast<std::int64_t>(i), "sched: " + id, ""}, runs[i]});
    history.summaries.push_back(SummaryOfSamples(runs[i]));
  }
  return history;
}

// A regression from the revision at `index` on.
void AddChange(SeriesHistory& history, std::size_t index) {
  StoredChangePoint change;
  change.revision = history.points[index].revision;
  history.change_points.push_back(change);
}

TEST(NoiseReportTest, TheSpreadWithinRevisionsIsPooledAndRelative) {
  const double spread = 0.02;
  const double up = std::exp(spread);
  const NoiseReport report =
      ReportNoise(HistoryOf({{100 / up, 100, 100 * up}, {200 / up, 200, 200 * up}}));

  EXPECT_NEAR(*report.within_sd, spread, 1e-12);
  EXPECT_EQ(report.run_count, 6);
  EXPECT_EQ(report.revision_count, 2);
  ASSERT_EQ(report.revisions.size(), 2U);
  // Of -s, 0 and s: the median of absolute values is s, corrected for a median of three.
  EXPECT_NEAR(*report.revisions[0].robust_sd, 1.4826 * spread * std::sqrt(1.5), 1e-4);
}

TEST(NoiseReportTest, AChangePointIsNoNoise) {
  SeriesHistory history = HistoryOf({{99, 100, 101}, {99, 100, 101}, {49, 50, 51}, {49, 50, 51}});

  const double mixed = *ReportNoise(history).between_robust_sd;
  AddChange(history, 2);
  const NoiseReport split = ReportNoise(history);

  EXPECT_GT(mixed, 0.3);
  EXPECT_EQ(split.segment_count, 2);
  EXPECT_EQ(*split.between_robust_sd, 0);
}

TEST(NoiseReportTest, MoreRunsAreWantedForASmallerChangeAndNoneDecideWithinTheMinimumEffect) {
  const NoiseReport report = ReportNoise(HistoryOf({{98, 100, 102}, {98, 100, 102}}));

  ASSERT_EQ(report.plans.size(), 3U);
  EXPECT_FALSE(report.plans[0].runs_a_side.has_value());  // 1 %
  EXPECT_FALSE(report.plans[1].runs_a_side.has_value());  // 2 %
  ASSERT_TRUE(report.plans[2].runs_a_side.has_value());
  // The distance is ln(1.05 / 1.03) = 0.96 sd of 0.02: by tables of the t test 20 to 21 a side.
  EXPECT_GE(*report.plans[2].runs_a_side, 18);
  EXPECT_LE(*report.plans[2].runs_a_side, 23);
}

TEST(NoiseReportTest, OneRunARevisionTellsNothingOfItsSpread) {
  const NoiseReport report = ReportNoise(HistoryOf({{100}, {101}, {99}}));

  EXPECT_FALSE(report.within_sd.has_value());
  EXPECT_FALSE(report.plans[2].runs_a_side.has_value());
  EXPECT_TRUE(report.between_robust_sd.has_value());
}

TEST(NoiseReportTest, ValuesThatAreNotPositiveAreToldInMultiplesOfTheMedian) {
  const NoiseReport report = ReportNoise(HistoryOf({{0, 100, 200}}));

  EXPECT_FALSE(report.is_logarithmic);
  EXPECT_NEAR(*report.within_sd, 1, 1e-12);
}

TEST(NoiseReportTest, AsAPage) {
  SeriesHistory history = HistoryOf({{98, 100, 102}, {97, 100, 103}, {49, 50, 51}});
  AddChange(history, 2);

  ExpectGolden("noise.txt", RenderNoise(ReportNoise(history)));
}

}  // namespace
}  // namespace schedlab::client
