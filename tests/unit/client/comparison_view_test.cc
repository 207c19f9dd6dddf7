#include "client/comparison_view.h"

#include <gtest/gtest.h>

#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

TEST(GateTest, OneWorseMetricIsARegression) {
  EXPECT_EQ(GateOf(ComparisonOf(
                {RowOf("t", "a", 0, Verdict::kUndecided), RowOf("t", "b", -0.2, Verdict::kWorse)})),
            ExitCode::kRegression);
}

TEST(GateTest, AnUndecidedMetricIsInconclusive) {
  EXPECT_EQ(GateOf(ComparisonOf({RowOf("t", "a", 0, Verdict::kNoChange),
                                 RowOf("t", "b", -0.02, Verdict::kUndecided)})),
            ExitCode::kInconclusive);
}

TEST(GateTest, NothingJudgedIsInconclusive) {
  EXPECT_EQ(GateOf(ComparisonOf({})), ExitCode::kInconclusive);
  EXPECT_EQ(GateOf(ComparisonOf({RowOf("t", "counter", 5, Verdict::kNone)})),
            ExitCode::kInconclusive);
}

TEST(GateTest, BetterAndUnchangedPass) {
  EXPECT_EQ(GateOf(ComparisonOf(
                {RowOf("t", "a", 0, Verdict::kNoChange), RowOf("t", "b", 0.2, Verdict::kBetter)})),
            ExitCode::kOk);
}

TEST(RegressionLinesTest, TheLargestComesFirstWithEverythingThatMatters) {
  const std::vector<std::string> lines =
      RegressionLines(ComparisonOf({RowOf("kvm-16x1", "a", -0.05, Verdict::kWorse),
                                    RowOf("kvm-1x16", "c", 0, Verdict::kNoChange),
                                    RowOf("kvm-16x1", "b", -0.276, Verdict::kWorse)}));

  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "REGRESSION  fs_mark.b on kvm-16x1: -27.6 % (n=5/5, CV 1.0 %/1.0 %), bbbbbbbbbbbb "
            "against aaaaaaaaaaaa");
}

TEST(RowsOfJobTest, KeepsWhatTheJobRanAndJudges) {
  JobSpec spec;
  spec.topologies = {"kvm-16x1"};
  spec.workloads = {{"fs_mark", {}, 0}};
  spec.metrics = {"a"};
  const RevisionComparison comparison = ComparisonOf(
      {RowOf("kvm-16x1", "a", 0, Verdict::kNoChange), RowOf("kvm-16x1", "b", 0, Verdict::kNoChange),
       RowOf("kvm-1x16", "a", 0, Verdict::kNoChange)});

  const RevisionComparison chosen =
      RowsOfJob(comparison, spec, {"kvm-16x1-digest", "kvm-1x16-digest"}, "1");

  ASSERT_EQ(chosen.rows.size(), 1U);
  EXPECT_EQ(chosen.rows[0].series.key.metric, "a");
  EXPECT_EQ(chosen.rows[0].series.key.topology, "kvm-16x1");
}

TEST(RowsOfJobTest, LeavesOutTheSameNamesWithOtherParameters) {
  JobSpec spec;
  spec.topologies = {"kvm-16x1"};
  spec.workloads = {{"fs_mark", {}, 0}};
  RevisionComparison comparison = ComparisonOf(
      {RowOf("kvm-16x1", "a", 0, Verdict::kNoChange), RowOf("kvm-16x1", "a", 0, Verdict::kWorse)});
  comparison.rows[1].series.key.scenario_digest = "of another duration";

  const RevisionComparison chosen = RowsOfJob(comparison, spec, {"kvm-16x1-digest"}, "1");

  ASSERT_EQ(chosen.rows.size(), 1U);
  EXPECT_EQ(chosen.rows[0].verdict, Verdict::kNoChange);
}

TEST(RowsOfJobTest, LeavesOutOtherEngineVersionsAndIsEmptyWhereNothingMatches) {
  JobSpec spec;
  spec.topologies = {"kvm-16x1"};
  spec.workloads = {{"fs_mark", {}, 0}};
  RevisionComparison comparison = ComparisonOf(
      {RowOf("kvm-16x1", "a", 0, Verdict::kWorse), RowOf("kvm-16x1", "a", 0, Verdict::kNoChange)});
  comparison.rows[0].series.key.engine_version = "0";

  EXPECT_EQ(GateOf(RowsOfJob(comparison, spec, {"kvm-16x1-digest"}, "1")), ExitCode::kOk);
  EXPECT_EQ(GateOf(RowsOfJob(comparison, spec, {"another"}, "1")), ExitCode::kInconclusive);
  EXPECT_EQ(GateOf(RowsOfJob(comparison, spec, {}, "1")), ExitCode::kInconclusive);
}

TEST(HeadlineRowsTest, CountersAreLeftOut) {
  const RevisionComparison chosen = HeadlineRows(ComparisonOf(
      {RowOf("kvm-16x1", "a", 0, Verdict::kNoChange), RowOf("kvm-16x1", "b", 0, Verdict::kNone)}));

  ASSERT_EQ(chosen.rows.size(), 1U);
  EXPECT_EQ(chosen.rows[0].series.key.metric, "a");
}

TEST(RenderComparisonTest, RowsOfTheSameNamesShowTheirScenario) {
  RevisionComparison comparison = ComparisonOf(
      {RowOf("kvm-16x1", "a", 0, Verdict::kNoChange), RowOf("kvm-16x1", "a", 0, Verdict::kWorse)});
  comparison.rows[0].series.key.scenario_digest = "0123456789abcdef";

  const std::string text = RenderComparison(comparison, false);

  EXPECT_NE(text.find("  scenario\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0123456789ab/engine 1\n"), std::string::npos) << text;
}

TEST(RenderComparisonTest, MeansStandWithCountSpreadAndVerdict) {
  RevisionComparison comparison =
      ComparisonOf({RowOf("kvm-16x1", "files_per_sec", -0.276, Verdict::kWorse)});
  comparison.rows[0].interval = ChangeInterval{-0.29, -0.26};

  const std::string text = RenderComparison(comparison, false);

  EXPECT_NE(
      text.find(
          "kvm-16x1  fs_mark.files_per_sec  files/s  higher       100  5  1.0 %       72.4  5  "
          "1.0 %  -27.6 %  -29.0 % .. -26.0 %  worse"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("baseline   aaaaaaaaaaaa  sched: before"), std::string::npos);
}

TEST(RenderComparisonTest, YardsticksStandBesideWithTheirDistance) {
  ComparisonRow row = RowOf("t", "a", -0.2, Verdict::kWorse);
  row.yardsticks = {{.policy = "oracle", .summary = SummaryOf(120)}};
  const std::string text =
      RenderComparison(ComparisonOf({row, RowOf("t", "b", 0, Verdict::kNoChange)}), false);

  EXPECT_NE(text.find("oracle"), std::string::npos) << text;
  EXPECT_NE(text.find("120 (+50.0 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("n/a\n"), std::string::npos) << text;
}

TEST(RenderComparisonTest, NothingIsSaidOfYardsticksWhereThereAreNone) {
  const std::string text =
      RenderComparison(ComparisonOf({RowOf("t", "a", 0, Verdict::kNoChange)}), false);

  EXPECT_EQ(text.find("yardstick"), std::string::npos) << text;
}

}  // namespace
}  // namespace schedlab::client
