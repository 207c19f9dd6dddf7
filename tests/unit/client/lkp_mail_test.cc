#include "client/lkp_mail.h"

#include <gtest/gtest.h>

#include "tests/unit/client/golden.h"
#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

RegressionReport Report() {
  RegressionReport report{
      .alert = AlertOnOneTopology(), .comparison = std::nullopt, .spec = std::nullopt};
  AlertCell& head = report.alert.cells.front();
  head.revision_run = ExampleRun{JobId{1}, 7};
  head.previous_run = ExampleRun{JobId{1}, 8};
  AlertCell better = head;
  better.series.id = SeriesId{2};
  better.series.key.topology = "kvm-4x4";
  better.change.is_regression = false;
  better.change.relative_change = 0.1;
  report.alert.cells.push_back(better);
  report.comparison = ComparisonOf({RowOf("kvm-16x1", "files_per_sec", -0.276, Verdict::kWorse),
                                    RowOf("kvm-16x1", "idle_ratio", 0.5, Verdict::kNone)});
  JobSpec spec;
  spec.workloads = {{"fs_mark", {{"writers", 16}}, 2'000'000'000}};
  spec.repetitions = 5;
  report.spec = spec;
  return report;
}

LkpMailFacts Facts() {
  return {.coordinator = "127.0.0.1:7450",
          .machine = "16 CPUs, 16 packages",
          .newest = RevisionRef{"dddddddddddddddd", 9, "sched: newest", ""},
          .newest_runs = SummaryOf(13300)};
}

TEST(LkpMailTest, HasThePartsOfThe0dayMailInTheirOrder) {
  ExpectGolden("lkp_mail.txt", RenderLkpMail(Report(), Facts()));
}

TEST(LkpMailTest, ARegressionThatIsStillThereIsSaidToBe) {
  RegressionReport report = Report();
  report.alert.recovered.reset();
  report.alert.cells.front().recovered.reset();

  const std::string text = RenderLkpMail(report, Facts());

  EXPECT_NE(text.find("[still regression on dddddddddddddddd (\"sched: newest\"): 13300 (n=5, CV "
                      "1.0 %) files/s]"),
            std::string::npos)
      << text;
}

TEST(LkpMailTest, ARegressionThatIsGoneWithoutARecoveryIsSaidToBe) {
  RegressionReport report = Report();
  report.alert.recovered.reset();
  report.alert.cells.front().recovered.reset();
  LkpMailFacts facts = Facts();
  facts.newest_runs = SummaryOf(18300);

  const std::string text = RenderLkpMail(report, facts);

  EXPECT_NE(text.find("[not seen any more on dddddddddddddddd"), std::string::npos) << text;
}

TEST(LkpMailTest, NothingMeasuredLaterIsSaidToo) {
  RegressionReport report = Report();
  report.alert.recovered.reset();
  report.alert.cells.front().recovered.reset();
  LkpMailFacts facts = Facts();
  facts.newest = report.alert.revision;

  EXPECT_NE(RenderLkpMail(report, facts).find("[no later commit was measured]"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::client
