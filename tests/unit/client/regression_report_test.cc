#include "client/regression_report.h"

#include <gtest/gtest.h>

#include "tests/support/sample_values.h"
#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

RegressionReport ReportOf(Alert alert) {
  RegressionReport report;
  report.alert = std::move(alert);
  report.spec.emplace();
  report.spec->topologies = {"kvm-16x1", "kvm-1x16"};
  report.spec->workloads = {{"fs_mark", {}, 0}};
  return report;
}

AlertCell CellOn(const std::string& topology, const std::string& metric) {
  AlertCell cell = AlertOnOneTopology().cells[0];
  cell.series = SeriesOf(topology, metric, MetricRole::kHeadline);
  return cell;
}

CellBeside UnchangedOn(const std::string& topology, const std::string& workload,
                       const std::string& metric) {
  CellBeside cell = AlertOnOneTopology().unchanged[0];
  cell.series = SeriesOf(topology, metric, MetricRole::kHeadline);
  cell.series.key.workload = workload;
  return cell;
}

std::string TextOf(const RegressionReport& report) { return RenderReport(report, false); }

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RegressionReportTest, SaysWhatWhereSinceWhenAndWhy) {
  EXPECT_EQ(
      TextOf(ReportOf(AlertOnOneTopology())),
      "REGRESSION  fs_mark.files_per_sec  -27.6 %  on kvm-16x1 only\n"
      "  size        18350 -> 13290 files/s (higher is better), effect 31.0 sd\n"
      "              n=5 -> 5, CV 1.0 % -> 1.0 %  (n = runs, CV = stddev/mean of the runs, sd "
      "= that of one run)\n"
      "  unchanged   fs_mark.files_per_sec  +0.1 %  on kvm-1x16  (18000 -> 18020 files/s; n=5 "
      "-> 5, CV 1.0 % -> 1.0 %)\n"
      "  first bad   bbbbbbbbbbbb  \"sched: after\"\n"
      "  last good   aaaaaaaaaaaa  \"sched: before\"\n"
      "  interval    this commit alone, at 90 %\n"
      "  recovered   by cccccccccccc: +0.2 % against before the regression\n"
      "              \"sched: repair\"\n"
      "  why         idle_ratio  2 % -> 24 %  +22.0 points\n"
      "              (counters: means of the same runs, the strongest effects first)\n"
      "  alert       7 (open, linux linux-fair)\n");
}

TEST(RegressionReportTest, FurtherCellsAreOneRegressionWithTheFirst) {
  Alert alert = AlertOnOneTopology();
  alert.cells.push_back(CellOn("kvm-16x1", "elapsed_sec"));

  const std::string text = TextOf(ReportOf(alert));

  EXPECT_EQ(text.find("REGRESSION"), text.rfind("REGRESSION"));
  EXPECT_TRUE(Has(text,
                  "  also        fs_mark.elapsed_sec  -27.6 %  on kvm-16x1  (18350 -> 13290 "
                  "files/s; n=5 -> 5, CV 1.0 % -> 1.0 %; 31.0 sd)\n"))
      << text;
}

TEST(RegressionReportTest, EveryTopologyOfTheSameMetricIsNamedInTheHead) {
  Alert alert = AlertOnOneTopology();
  alert.cells.push_back(CellOn("kvm-8x2", "files_per_sec"));

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)), "-27.6 %  on kvm-16x1, kvm-8x2\n"));
}

TEST(RegressionReportTest, OnlyIsNotSaidWhereATopologyIsUndecided) {
  RegressionReport report = ReportOf(AlertOnOneTopology());
  report.spec->topologies.emplace_back("kvm-8x2");

  EXPECT_TRUE(Has(TextOf(report), "-27.6 %  on kvm-16x1\n"));
}

TEST(RegressionReportTest, WhatElseDidNotMoveIsOneLineForEachSetOfTopologies) {
  Alert alert = AlertOnOneTopology();
  for (const char* topology : {"kvm-16x1", "kvm-1x16"}) {
    alert.unchanged.push_back(UnchangedOn(topology, "hackbench", "messages_per_sec"));
    alert.unchanged.push_back(UnchangedOn(topology, "spinners", "work_per_sec"));
  }

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)),
                  "  no change   hackbench.messages_per_sec (n=5 -> 5), spinners.work_per_sec (n=5 "
                  "-> 5) on kvm-16x1 and kvm-1x16\n"));
}

TEST(RegressionReportTest, ALongListOfWhatDidNotMoveIsBroken) {
  Alert alert = AlertOnOneTopology();
  for (const char* workload : {"hackbench", "spinners", "tbench", "schbench", "kbuild"}) {
    alert.unchanged.push_back(UnchangedOn("kvm-16x1", workload, "messages_per_sec"));
  }

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)),
                  "  no change   hackbench.messages_per_sec (n=5 -> 5), kbuild.messages_per_sec "
                  "(n=5 -> 5),\n"
                  "              schbench.messages_per_sec (n=5 -> 5), "));
}

TEST(RegressionReportTest, ARangeOfCommitsIsNamedByItsEnds) {
  Alert alert = AlertOnOneTopology();
  alert.interval_last.id = "dddddddddddddddd";

  EXPECT_TRUE(
      Has(TextOf(ReportOf(alert)), "  interval    bbbbbbbbbbbb .. dddddddddddd, at 90 %\n"));
}

TEST(RegressionReportTest, WithoutARecoveryItSaysSo) {
  Alert alert = AlertOnOneTopology();
  alert.recovered.reset();
  alert.cells[0].recovered.reset();

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)), "recovered   by no later commit"));
}

TEST(RegressionReportTest, ACounterThatRoseFromZeroHasNoPercents) {
  Alert alert = AlertOnOneTopology();
  alert.cells[0].counters = {{"nohz_kicks", "count", 0, 12, std::nullopt, 9}};

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)), "why         nohz_kicks  0 -> 12  from 0\n"));
}

TEST(RegressionReportTest, AnEffectAtItsLimitIsSaidToBeMore) {
  Alert alert = AlertOnOneTopology();
  alert.cells[0].change.effect_sd = -100;

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)), "effect over 100 sd\n"));
}

TEST(RegressionReportTest, HasTheTableOfTheScenarioAndItsCounters) {
  RegressionReport report = ReportOf(AlertOnOneTopology());
  ComparisonRow idle = RowOf("kvm-16x1", "idle_ratio", 11, Verdict::kNone);
  idle.series.unit = "ratio";
  idle.baseline = SummaryOf(0.02);
  idle.candidate = SummaryOf(0.24);
  report.comparison = ComparisonOf({RowOf("kvm-16x1", "files_per_sec", -0.276, Verdict::kWorse),
                                    RowOf("kvm-1x16", "files_per_sec", 0, Verdict::kNoChange), idle,
                                    RowOf("kvm-16x1", "not_moved", 0, Verdict::kNone)});

  const std::string text = TextOf(report);

  EXPECT_TRUE(Has(text,
                  "    100.00           -27.6%      72.40        fs_mark.files_per_sec\n"
                  "      2.00           +22.0       24.00        fs_mark.idle_ratio%\n"))
      << text;
  EXPECT_FALSE(Has(text, "not_moved"));
}

TEST(RegressionReportTest, RepeatsARunOfEitherSide) {
  RegressionReport report = ReportOf(AlertOnOneTopology());
  report.alert.cells[0].revision_run = ExampleRun{JobId{1}, 11};
  report.alert.cells[0].previous_run = ExampleRun{JobId{1}, 12};

  EXPECT_TRUE(Has(TextOf(report),
                  "repeat one run of the first bad commit:\n"
                  "  schedlab sim run --topology kvm-16x1 --workload fs_mark --policy "
                  "linux-fair@bbbbbbbbbbbb --seed 11\n"
                  "and of the one before it:\n"
                  "  schedlab sim run --topology kvm-16x1 --workload fs_mark --policy "
                  "linux-fair@aaaaaaaaaaaa --seed 12\n"));
}

TEST(RegressionReportTest, NothingIsRepeatedThatIsNotStored) {
  EXPECT_FALSE(Has(TextOf(ReportOf(AlertOnOneTopology())), "repeat"));
}

TEST(RegressionReportTest, WhatGotBetterIsToldAfterWhatGotWorse) {
  Alert alert = AlertOnOneTopology();
  AlertCell better = CellOn("kvm-8x2", "elapsed_sec");
  better.change.is_regression = false;
  alert.cells.push_back(better);

  const std::string text = TextOf(ReportOf(alert));

  EXPECT_TRUE(Has(text, "  better      fs_mark.elapsed_sec  -27.6 %  on kvm-8x2")) << text;
  EXPECT_FALSE(Has(text, "  also ")) << text;
}

TEST(RegressionReportTest, WhereItCouldNotBeToldIsSaidWithTheDifferenceAndTheRuns) {
  Alert alert = AlertOnOneTopology();
  alert.undecided = {UnchangedOn("kvm-4x4", "hackbench", "elapsed_sec")};
  alert.undecided[0].relative_change = -0.041;

  const std::string text = TextOf(ReportOf(alert));

  EXPECT_TRUE(Has(text, "  undecided   hackbench.elapsed_sec on kvm-4x4 (-4.1 %, n=5 -> 5)\n"))
      << text;
}

TEST(RegressionReportTest, WhereItWasNotRunSinceIsTold) {
  Alert alert = AlertOnOneTopology();
  alert.not_run = {{.series = SeriesOf("kvm-4x4", "files_per_sec", MetricRole::kHeadline),
                    .last = alert.previous}};

  const std::string text = TextOf(ReportOf(alert));

  EXPECT_TRUE(Has(text, "  not run     fs_mark.files_per_sec on kvm-4x4 (since aaaaaaaaaaaa)\n"))
      << text;
}

TEST(RegressionReportTest, TheHistoryIsToldWithWhoAndWhy) {
  Alert alert = AlertOnOneTopology();
  alert.history = {{.at = WallTime(),
                    .from = std::nullopt,
                    .to = AlertState::kOpen,
                    .who = "schedlab",
                    .why = "raised"},
                   {.at = WallTime(),
                    .from = AlertState::kOpen,
                    .to = AlertState::kDismissed,
                    .who = "ann@host",
                    .why = "known\x1b trade-off"}};
  alert.merged_into = AlertId{9};

  const std::string text = TextOf(ReportOf(alert));

  EXPECT_TRUE(Has(text, "  alert       7 (open, linux linux-fair), merged into alert 9\n")) << text;
  EXPECT_TRUE(Has(text, "  history     1970-01-01T00:00:00Z  open by schedlab: raised\n")) << text;
  EXPECT_TRUE(Has(text, "dismissed by ann@host: known")) << text;
  EXPECT_FALSE(Has(text, "\x1b")) << text;
}

TEST(RegressionReportTest, TheBisectionOfTheAlertIsToldBelowItsInterval) {
  RegressionReport report = ReportOf(AlertOnOneTopology());
  report.backfill = testing::SampleBisection();

  const std::string text = TextOf(report);

  EXPECT_TRUE(Has(text, "\n  bisection   ")) << text;
  EXPECT_LT(text.find("  interval "), text.find("  bisection ")) << text;
  EXPECT_LT(text.find("  bisection "), text.find("  recovered ")) << text;
}

TEST(RegressionReportTest, ASwitchThatWasSetByHandIsNamed) {
  Alert alert = AlertOnOneTopology();
  alert.cells[0].series.key.variant = "nohz_kick=off";

  EXPECT_TRUE(Has(TextOf(ReportOf(alert)), "fs_mark.files_per_sec with nohz_kick=off"));
}

TEST(RegressedCellsTest, LeavesImprovementsOut) {
  Alert alert = AlertOnOneTopology();
  alert.cells.push_back(alert.cells[0]);
  alert.cells[1].change.is_regression = false;

  EXPECT_EQ(RegressedCells(alert).size(), 1U);
}

TEST(RegressionReportTest, SaysWhatWasToBeHad) {
  RegressionReport report = ReportOf(AlertOnOneTopology());
  ComparisonRow row = RowOf("kvm-16x1", "files_per_sec", -0.2, Verdict::kWorse);
  row.yardsticks = {{.policy = "oracle", .summary = SummaryOf(120)}};
  report.comparison = ComparisonOf({row});

  const std::string text = TextOf(report);

  EXPECT_TRUE(Has(text, "  oracle      120")) << text;
  EXPECT_TRUE(Has(text, "+50.0 % from the bad one")) << text;
}

}  // namespace
}  // namespace schedlab::client
