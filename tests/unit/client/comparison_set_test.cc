#include "client/comparison_set.h"

#include <gtest/gtest.h>

#include "tests/unit/client/compared_values.h"

namespace schedlab::client {
namespace {

TEST(MergePairsTest, EveryRevisionOfASeriesStandsTogether) {
  const ComparisonSet set = SetOfFour();

  ASSERT_EQ(set.series.size(), 5U);
  const ComparedSeries& first = set.series.front();
  EXPECT_EQ(first.series.key.metric, "files_per_sec");
  EXPECT_EQ(first.baselines[1]->summary.mean, 18800);
  EXPECT_EQ(first.candidates[1]->summary.mean, 18400);
  EXPECT_EQ(first.candidates[0]->against[0]->verdict, Verdict::kWorse);
  EXPECT_NEAR(*first.candidates[0]->against[1]->relative_change, 13290.0 / 18800 - 1, 1e-12);
  EXPECT_EQ(set.baselines[1].revision.id, kEarlier.id);
  EXPECT_EQ(set.candidates[0].label, "23f0d2093c");
}

TEST(MergePairsTest, JudgedMetricsComeFirst) {
  const ComparisonSet set = SetOfTwo();

  EXPECT_EQ(set.series[2].series.role, MetricRole::kHeadline);
  EXPECT_EQ(set.series[3].series.role, MetricRole::kCounter);
}

TEST(MergePairsTest, ASideThatOnePairLacksIsAbsent) {
  const ComparisonSet set = *MergePairs(
      {"v3.11"}, {"a", "b"},
      {PairOf(0, 0, kParent, kChild, RowsAt(1, 1, Verdict::kNoChange)),
       PairOf(0, 1, kParent, kRepair,
              {RowOf({.topology = "other", .baseline = {1, 2}, .candidate = {1, 2}})})});

  EXPECT_TRUE(set.series.front().candidates[0].has_value());
  EXPECT_FALSE(set.series.front().candidates[1].has_value());
}

TEST(MergePairsTest, ANameOfTwoRevisionsIsRefused) {
  const Result<ComparisonSet> set =
      MergePairs({"v3.11"}, {"v3.12"},
                 {PairOf(0, 0, kParent, kChild, RowsAt(1, 1, Verdict::kNoChange)),
                  PairOf(0, 0, kParent, kRepair,
                         {RowOf({.baseline = {1, 2}, .candidate = {1, 2}, .policy = "other"})})});

  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(set.error().message.find("'v3.12' is revision 23f0d2093c"), std::string::npos);
  EXPECT_NE(set.error().message.find("of 'other'"), std::string::npos);
}

TEST(GroupsOfTest, GroupsKeepTheOrderOfTheRows) {
  const ComparisonSet set = SetOfTwo();

  const auto by_topology = GroupsOf(set, Grouping::kTopology);
  const auto by_policy = GroupsOf(set, Grouping::kPolicy);

  ASSERT_EQ(by_topology.size(), 2U);
  EXPECT_EQ(by_topology[0].name, "topology kvm-16x1");
  EXPECT_EQ(by_topology[0].series.size(), 4U);
  EXPECT_EQ(by_topology[1].name, "topology kvm-1x16");
  ASSERT_EQ(by_policy.size(), 1U);
  EXPECT_EQ(by_policy[0].name, "policy linux-fair");
}

TEST(CountVerdictsTest, TheGeometricMeanTurnsWhatIsBetterWhenLower) {
  const ComparisonSet set =
      *MergePairs({"a"}, {"b"},
                  {PairOf(0, 0, kParent, kChild,
                          {RowOf({.baseline = {100, 100}, .candidate = {80, 80}}),
                           RowOf({.metric = "elapsed_sec",
                                  .direction = Direction::kLowerIsBetter,
                                  .baseline = {100, 100},
                                  .candidate = {50, 50}})})});

  const VerdictCounts counts = CountVerdicts(GroupsOf(set, Grouping::kNone)[0].series, 0, 0);

  EXPECT_EQ(counts.ratio_count, 2U);
  EXPECT_NEAR(*counts.geometric_mean, std::sqrt(0.8 * 2), 1e-12);
}

TEST(CountVerdictsTest, CountersAreNotCounted) {
  const ComparisonSet set = SetOfTwo();

  const VerdictCounts counts = CountVerdicts(GroupsOf(set, Grouping::kNone)[0].series, 0, 0);

  EXPECT_EQ(counts.worse, 1U);
  EXPECT_EQ(counts.no_change, 1U);
  EXPECT_EQ(counts.undecided, 1U);
  EXPECT_EQ(counts.ratio_count, 3U);
}

TEST(CountVerdictsTest, ABaselineOfZeroHasNoRatio) {
  ComparisonRow row = RowOf({.baseline = {1, 1}, .candidate = {1, 1}});
  row.relative_change = std::nullopt;
  const ComparisonSet set = *MergePairs({"a"}, {"b"}, {PairOf(0, 0, kParent, kChild, {row})});

  const VerdictCounts counts = CountVerdicts(GroupsOf(set, Grouping::kNone)[0].series, 0, 0);

  EXPECT_EQ(counts.ratio_count, 0U);
  EXPECT_FALSE(counts.geometric_mean.has_value());
}

TEST(KeepChangedTest, LeavesWhatGotWorseOrBetter) {
  ComparisonSet set = SetOfFour();

  KeepChanged(set);

  ASSERT_EQ(set.series.size(), 1U);
  EXPECT_EQ(set.series[0].series.key.topology, "kvm-16x1");
  EXPECT_EQ(set.pairs[0].comparison.rows.size(), 1U);
}

}  // namespace
}  // namespace schedlab::client
