#include "server/judge_pairs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/server/sample_series.h"

namespace schedlab::server {
namespace {

SeriesPair PairOf(const Series& series, double baseline, double candidate) {
  return {.series = series,
          .baseline = {SamplesAbout(baseline, 1), {1, 2, 3, 4, 5}},
          .candidate = {SamplesAbout(candidate, 2), {1, 2, 3, 4, 5}}};
}

TEST(JudgePairsTest, ALossBeyondTheMinimumEffectIsWorse) {
  const auto rows = JudgePairs(std::vector{PairOf(SampleSeries(1, "kvm-16x1"), 245, 180)}, false);

  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->at(0).verdict, Verdict::kWorse);
  EXPECT_NEAR(rows->at(0).relative_change.value_or(0), 180.0 / 245 - 1, 0.01);
  EXPECT_LT(rows->at(0).p_value.value_or(1), 0.05);
  EXPECT_EQ(rows->at(0).baseline.count, 5);
}

TEST(JudgePairsTest, AGainIsBetter) {
  const auto rows = JudgePairs(std::vector{PairOf(SampleSeries(1, "kvm-16x1"), 180, 245)}, false);

  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).verdict, Verdict::kBetter);
}

TEST(JudgePairsTest, EqualSidesAreNoChange) {
  const auto rows = JudgePairs(std::vector{PairOf(SampleSeries(1, "kvm-16x1"), 245, 245)}, false);

  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).verdict, Verdict::kNoChange);
  EXPECT_EQ(rows->at(0).more_runs_needed, 0);
}

TEST(JudgePairsTest, ACounterIsComparedButNotJudged) {
  Series counter = SampleSeries(1, "kvm-16x1");
  counter.role = MetricRole::kCounter;

  const auto rows = JudgePairs(std::vector{PairOf(counter, 10, 30)}, false);

  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).verdict, Verdict::kNone);
  EXPECT_EQ(rows->at(0).p_value, std::nullopt);
  EXPECT_NEAR(rows->at(0).relative_change.value_or(0), 2, 0.05);
}

TEST(JudgePairsTest, HeadlineMetricsStandBeforeCountersAndTopologiesInOrder) {
  Series counter = SampleSeries(1, "a");
  counter.role = MetricRole::kCounter;
  const std::vector pairs = {PairOf(counter, 10, 30), PairOf(SampleSeries(2, "b"), 245, 180),
                             PairOf(SampleSeries(3, "a"), 245, 245)};

  const auto rows = JudgePairs(pairs, false);

  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ(rows->at(0).series.id, SeriesId{3});
  EXPECT_EQ(rows->at(0).verdict, Verdict::kNoChange);
  EXPECT_EQ(rows->at(1).series.id, SeriesId{2});
  EXPECT_EQ(rows->at(1).verdict, Verdict::kWorse);
  EXPECT_EQ(rows->at(2).series.id, SeriesId{1});
}

TEST(JudgePairsTest, ASeriesThatOneSideLacksHasNoRow) {
  SeriesPair pair = PairOf(SampleSeries(1, "kvm-16x1"), 245, 180);
  pair.candidate = {};

  const auto rows = JudgePairs(std::vector{pair}, false);

  ASSERT_TRUE(rows.has_value());
  EXPECT_TRUE(rows->empty());
}

TEST(JudgePairsTest, ABaselineOfZeroHasNoRelativeChange) {
  Series counter = SampleSeries(1, "kvm-16x1");
  counter.role = MetricRole::kCounter;

  const auto rows = JudgePairs(std::vector{PairOf(counter, 0, 30)}, false);

  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).relative_change, std::nullopt);
}

TEST(JudgePairsTest, PairsAreTheSamplesOfOneSeed) {
  SeriesPair pair = PairOf(SampleSeries(1, "kvm-16x1"), 245, 180);
  pair.baseline = {{100, 200, 300, 400}, {1, 2, 3, 9}};
  pair.candidate = {{303, 101, 202, 777}, {3, 1, 2, 8}};

  const auto rows = JudgePairs(std::vector{pair}, true);

  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).baseline_samples, (std::vector<double>{100, 200, 300}));
  EXPECT_EQ(rows->at(0).candidate_samples, (std::vector<double>{101, 202, 303}));
  EXPECT_NEAR(rows->at(0).relative_change.value_or(0), 0.01, 1e-6);
}

TEST(JudgePairsTest, SidesWithoutACommonSeedAreRefusedAsPairsWithTheirScenario) {
  SeriesPair pair = PairOf(SampleSeries(1, "kvm-16x1"), 245, 180);
  pair.candidate.seeds = {6, 7, 8, 9, 10};

  const auto rows = JudgePairs(std::vector{pair}, true);

  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(rows.error().message.find("files_per_sec of fs_mark on kvm-16x1"), std::string::npos);
  EXPECT_TRUE(JudgePairs(std::vector{pair}, false).has_value());
}

TEST(JudgePairsTest, YardsticksAreSummedUpAndNotJudged) {
  SeriesPair pair = PairOf(SampleSeries(1, "kvm-16x1"), 245, 245);
  pair.yardsticks = {{.policy = "oracle", .values = {300, 302}}};

  const auto rows = JudgePairs(std::vector{pair}, false);

  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->at(0).yardsticks.size(), 1U);
  EXPECT_EQ(rows->at(0).yardsticks[0].policy, "oracle");
  EXPECT_EQ(rows->at(0).yardsticks[0].summary.mean, 301);
  EXPECT_EQ(rows->at(0).yardsticks[0].summary.count, 2);
  EXPECT_EQ(rows->at(0).verdict, Verdict::kNoChange);
}

}  // namespace
}  // namespace schedlab::server
