#include "client/regression_report.h"

#include <gtest/gtest.h>

#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

TEST(RenderAlertTest, SaysWhatWhereSinceWhenAndWhy) {
  EXPECT_EQ(RenderAlert(AlertOnOneTopology(), false),
            "REGRESSION  fs_mark.files_per_sec  -27.6 %  on kvm-16x1\n"
            "  size        18350 -> 13290 files/s  (n=5 -> 5, CV 1.0 % -> 1.0 %; 31.0 standard "
            "deviations of a run, higher is better)\n"
            "  unchanged   fs_mark.files_per_sec on kvm-1x16: +0.1 %  (18000 -> 18020 files/s; n=5 "
            "-> 5, CV 1.0 % -> 1.0 %)\n"
            "  first bad   bbbbbbbbbbbb  \"sched: after\"\n"
            "  last good   aaaaaaaaaaaa  \"sched: before\"\n"
            "  interval    this commit alone, at 90 %\n"
            "  recovered   cccccccccccc  \"sched: repair\"\n"
            "              +0.2 % against before the regression\n"
            "  why         idle_ratio 0.02 -> 0.24 ratio  +1100.0 %\n"
            "  alert       7 (open, linux linux-fair)\n");
}

TEST(RenderAlertTest, ARangeOfCommitsIsNamedByItsEnds) {
  Alert alert = AlertOnOneTopology();
  alert.interval_last.id = "dddddddddddddddd";

  const std::string text = RenderAlert(alert, false);

  EXPECT_NE(text.find("  interval    bbbbbbbbbbbb .. dddddddddddd, at 90 %\n"), std::string::npos);
}

TEST(RenderAlertTest, WithoutARecoveryItSaysSo) {
  Alert alert = AlertOnOneTopology();
  alert.recovered.reset();
  alert.cells[0].recovered.reset();

  EXPECT_NE(RenderAlert(alert, false).find("recovered   by no later commit"), std::string::npos);
}

TEST(RenderReportTest, HasTheTableAndBothCommands) {
  RegressionReport report;
  report.alert = AlertOnOneTopology();
  report.comparison = ComparisonOf({RowOf("kvm-16x1", "files_per_sec", -0.276, Verdict::kWorse),
                                    RowOf("kvm-1x16", "files_per_sec", 0, Verdict::kNoChange),
                                    RowOf("kvm-16x1", "idle_ratio", 11, Verdict::kNone),
                                    RowOf("kvm-16x1", "not_moved", 0, Verdict::kNone)});
  report.bad_run.emplace();
  report.bad_run->seed = 11;
  report.good_run.emplace();
  report.good_run->seed = 12;

  const std::string text = RenderReport(report, false);

  EXPECT_NE(text.find("    100.00           -27.6%      72.40        fs_mark.files_per_sec\n"
                      "    100.00         +1100.0%       1200        fs_mark.idle_ratio\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("not_moved"), std::string::npos);
  EXPECT_NE(text.find("--seed 11"), std::string::npos);
  EXPECT_NE(text.find("--seed 12"), std::string::npos);
}

TEST(RegressedCellsTest, LeavesImprovementsOut) {
  Alert alert = AlertOnOneTopology();
  alert.cells.push_back(alert.cells[0]);
  alert.cells[1].change.is_regression = false;

  EXPECT_EQ(RegressedCells(alert).size(), 1U);
}

}  // namespace
}  // namespace schedlab::client
