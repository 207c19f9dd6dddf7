#include "client/lkp_table.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

SampleSummary Side(double mean, double relative_stddev) {
  return {.count = 5, .mean = mean, .stddev = mean * relative_stddev};
}

LkpTable TwoCommits() {
  return {.axes = {{"tbox_group", "demo-vm-16p"}, {"testcase", "fsmark"}},
          .baseline = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "sched: parent commit subject"},
          .candidates = {{"23f0d2093c789e612185180c4682094a4b31faf3",
                          "sched: Factor out code to should_we_balance()"}},
          .failures = {},
          .rows = {}};
}

// The lines of the rows that LkpTable prints for `row`.
std::string LastLine(const LkpRow& row) {
  LkpTable table = TwoCommits();
  table.rows = {row};
  const std::string text = RenderLkp(table);
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

// The expected lines of this file are those of a comparison that lkp-tests printed.
TEST(LkpTableTest, HeadNamesAxesAndCommits) {
  LkpTable table = TwoCommits();
  table.rows = {{"fsmark.files_per_sec", Side(250083, 0.001), {Side(181364, 0.001)}}};

  EXPECT_EQ(
      RenderLkp(table),
      "=========================================================================================\n"
      "tbox_group/testcase:\n"
      "  demo-vm-16p/fsmark\n"
      "\n"
      "commit: \n"
      "  aaaaaaaaaa (\"sched: parent commit subject\")\n"
      "  23f0d2093c (\"sched: Factor out code to should_we_balance()\")\n"
      "\n"
      "aaaaaaaaaaaaaaaa 23f0d2093c789e612185180c468 \n"
      "---------------- --------------------------- \n"
      "         %stddev     %change         %stddev\n"
      "             \\          |                \\  \n"
      "    250083           -27.5%     181364        fsmark.files_per_sec\n");
}

TEST(LkpTableTest, SpreadIsShownAboveTwoPercentOnly) {
  EXPECT_EQ(LastLine({"fsmark.time.elapsed_time", Side(201.57, 0.019), {Side(263.93, 0.024)}}),
            "    201.57           +30.9%     263.93 ±  2%  fsmark.time.elapsed_time\n");
  EXPECT_EQ(LastLine({"vmstat.cpu.id", Side(2.3668, 0.1), {Side(23.8, 0.07)}}),
            "      2.37 ± 10%    +905.6%      23.80 ±  7%  vmstat.cpu.id\n");
}

TEST(LkpTableTest, OneSampleHasNoSpread) {
  EXPECT_EQ(LastLine({"a.b", {.count = 1, .mean = 10, .stddev = std::nullopt}, {Side(20, 0.5)}}),
            "     10.00          +100.0%      20.00 ± 50%  a.b\n");
}

TEST(LkpTableTest, LargeMeansAreCutAndThenRounded) {
  EXPECT_EQ(LastLine({"a.b", Side(3975333.9, 0.02001), {Side(5117409.9, 0.03)}}),
            "   3975333 ±  2%     +28.7%    5117409 ±  3%  a.b\n");
  EXPECT_EQ(LastLine({"a.b", Side(123456789, 0), {Side(123456789, 0)}}),
            " 1.235e+08            +0.0%  1.235e+08        a.b\n");
}

TEST(LkpTableTest, PercentMetricsShowTheAbsoluteDifference) {
  EXPECT_EQ(LastLine({"mpstat.cpu.all.sys%", Side(71.2, 0), {Side(55.1, 0)}}),
            "     71.20           -16.1       55.10        mpstat.cpu.all.sys%\n");
}

TEST(LkpTableTest, AHugeChangeHasAnExponent) {
  EXPECT_EQ(LastLine({"a.b", Side(1, 0), {Side(5000, 0)}}),
            "      1.00          +5e+05%       5000        a.b\n");
}

TEST(LkpTableTest, FailuresComeFirstAndZeroIsBlank) {
  LkpTable table = TwoCommits();
  table.failures = {{"last_state.is_incomplete_run", {0, 5}, {{3, 5}}}};
  table.rows = {{"a.b", Side(1, 0), {Side(2, 0)}}};

  const std::string text = RenderLkp(table);

  const std::string expected =
      "       fail:runs  %reproduction    fail:runs\n"
      "           |             |             |    \n"
      "           :5           60%           3:5     last_state.is_incomplete_run\n"
      "         %stddev     %change         %stddev\n";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

TEST(LkpTableTest, EachFurtherCommitIsAGroupOfColumnsToTheRight) {
  LkpTable table = TwoCommits();
  table.candidates.push_back({"cccccccccccccccccccccccccccccccccccccccc", "sched: repair"});
  table.failures = {{"last_state.is_incomplete_run", {0, 5}, {{3, 5}, {0, 5}}}};
  table.rows = {{"a.b", Side(100, 0.1), {Side(50, 0), Side(110, 0.05)}},
                {"a.c", Side(100, 0.1), {std::nullopt, Side(110, 0.05)}}};

  const std::string text = RenderLkp(table);

  const std::string expected =
      "aaaaaaaaaaaaaaaa 23f0d2093c789e612185180c468 ccccccccccccccccccccccccccc \n"
      "---------------- --------------------------- --------------------------- \n"
      "       fail:runs  %reproduction    fail:runs  %reproduction    fail:runs\n"
      "           |             |             |             |             |    \n"
      "           :5           60%           3:5            0%            :5     "
      "last_state.is_incomplete_run\n"
      "         %stddev     %change         %stddev     %change         %stddev\n"
      "             \\          |                \\          |                \\  \n"
      "    100.00 ± 10%     -50.0%      50.00           +10.0%     110.00 ±  5%  a.b\n"
      "    100.00 ± 10%                                 +10.0%     110.00 ±  5%  a.c\n";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

}  // namespace
}  // namespace schedlab::client
