#include "client/comparison_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/client/compared_values.h"
#include "tests/unit/client/golden.h"

namespace schedlab::client {
namespace {

std::string RenderWithSamples(const ComparisonSet& set, ComparisonFormat format) {
  ComparisonLayout layout;
  layout.format = format;
  layout.has_samples = true;
  return RenderOutput(set, layout);
}

std::string Render(const ComparisonSet& set, ComparisonFormat format,
                   Grouping grouping = Grouping::kNone) {
  return RenderOutput(set, {.format = format,
                            .grouping = grouping,
                            .machines = {{"kvm-16x1", "16 CPUs, 16 packages"},
                                         {"kvm-1x16", "16 CPUs, 1 package"}}});
}

TEST(ComparisonOutputTest, ATableOfTwoIsOneLineAMetricWithASummaryForEachMachine) {
  ExpectGolden("compare_table_by_topology.txt",
               Render(SetOfTwo(), ComparisonFormat::kTable, Grouping::kTopology));
}

TEST(ComparisonOutputTest, ATableOfManyIsOneLineARevisionWithAColumnForEachFurtherBaseline) {
  ExpectGolden("compare_table_of_four.txt", Render(SetOfFour(), ComparisonFormat::kTable));
}

TEST(ComparisonOutputTest, TheLkpDialect) {
  ExpectGolden("compare_lkp.txt", Render(SetOfTwo(), ComparisonFormat::kLkp));
}

TEST(ComparisonOutputTest, TheLkpDialectHasColumnGroupsForCandidatesAndTablesForBaselines) {
  ExpectGolden("compare_lkp_of_four.txt", Render(SetOfFour(), ComparisonFormat::kLkp));
}

TEST(ComparisonOutputTest, TheMmtestsDialect) {
  ExpectGolden("compare_mmtests.txt", Render(SetOfTwo(), ComparisonFormat::kMmtests));
}

TEST(ComparisonOutputTest, TheMmtestsDialectHasAColumnForEachRevision) {
  ExpectGolden("compare_mmtests_of_four.txt", Render(SetOfFour(), ComparisonFormat::kMmtests));
}

TEST(ComparisonOutputTest, TheMmtestsRatioReport) {
  ExpectGolden("compare_mmtests_ratio.txt", Render(SetOfTwo(), ComparisonFormat::kMmtestsRatio));
}

TEST(ComparisonOutputTest, TheKernelListDialect) {
  ExpectGolden("compare_kernel.txt", Render(SetOfTwo(), ComparisonFormat::kKernel));
}

TEST(ComparisonOutputTest, TheKernelListDialectHasAColumnForEachRevision) {
  ExpectGolden("compare_kernel_of_four.txt", Render(SetOfFour(), ComparisonFormat::kKernel));
}

TEST(ComparisonOutputTest, MarkdownHasASectionForEachWorkload) {
  ExpectGolden("compare_markdown.md",
               Render(SetOfTwo(), ComparisonFormat::kMarkdown, Grouping::kWorkload));
}

TEST(ComparisonOutputTest, JsonIsOneDocumentWithEveryPair) {
  const auto document =
      nlohmann::json::parse(Render(SetOfFour(), ComparisonFormat::kJson, Grouping::kTopology));

  EXPECT_EQ(document["format_version"], 1);
  EXPECT_EQ(document["baseline_revision"], kParent.id);
  EXPECT_EQ(document["rows"].size(), 5U);
  EXPECT_EQ(document["rows"][0]["candidate_samples"][1], 13290);
  EXPECT_EQ(document["more_comparisons"].size(), 3U);
  EXPECT_EQ(document["more_comparisons"][0]["baseline_revision"], kEarlier.id);
  ASSERT_EQ(document["groups"].size(), 2U);
  EXPECT_EQ(document["groups"][0]["name"], "topology kvm-16x1");
  EXPECT_EQ(document["groups"][0]["verdicts"].size(), 4U);
  EXPECT_EQ(document["groups"][0]["verdicts"][0]["worse"], 1);
}

TEST(ComparisonOutputTest, CsvHasARecordForEachRowOfEachPairAtFullPrecision) {
  ExpectGolden("compare.csv", Render(SetOfTwo(), ComparisonFormat::kCsv));
}

TEST(ComparisonOutputTest, CsvOfSamplesHasARecordForEachRun) {
  const std::string text = RenderWithSamples(SetOfTwo(), ComparisonFormat::kCsv);

  // Five series, two revisions, three runs; and the header.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 31);
  EXPECT_NE(text.find("candidate,23f0d2093c789e612185180c4682094a4b31faf3,1,13290\r\n"),
            std::string::npos)
      << text;
}

TEST(ComparisonOutputTest, EveryRunIsShownWhereItIsAskedFor) {
  const std::string text = RenderWithSamples(SetOfTwo(), ComparisonFormat::kTable);

  EXPECT_NE(text.find("kvm-16x1  fs_mark.files_per_sec             files/s  23f0d2093c  "
                      "13160 13290 13420\n"),
            std::string::npos)
      << text;
}

TEST(ComparisonOutputTest, NothingThatChangedIsSaidInWords) {
  ComparisonSet set =
      *MergePairs({"v3.11"}, {"v3.13"},
                  {PairOf(0, 0, kParent, kRepair, RowsAt(18350, 18400, Verdict::kNoChange))});
  KeepChanged(set);

  for (const auto format : {ComparisonFormat::kTable, ComparisonFormat::kMarkdown}) {
    EXPECT_NE(Render(set, format).find("no judged metric is worse or better"), std::string::npos);
  }
}

TEST(ComparisonOutputTest, ColourIsNeverTheOnlyMark) {
  ComparisonLayout plain;
  plain.grouping = Grouping::kTopology;
  ComparisonLayout colored = plain;
  colored.has_color = true;
  std::string text = RenderOutput(SetOfTwo(), colored);
  ASSERT_NE(text.find('\x1b'), std::string::npos);

  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }

  EXPECT_EQ(text, RenderOutput(SetOfTwo(), plain));
}

}  // namespace
}  // namespace schedlab::client
