#include "client/grid.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

Grid TwoCells(std::string first, std::string second) {
  return {.columns = {{"name"}, {"value", Alignment::kRight}},
          .rows = {{std::move(first), std::move(second)}}};
}

TEST(GridTest, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(RenderCsv(TwoCells("a,b", "say \"x\"")), "name,value\r\n\"a,b\",\"say \"\"x\"\"\"\r\n");
  EXPECT_EQ(RenderCsv(TwoCells("two\nlines", "")), "name,value\r\n\"two\nlines\",\r\n");
}

TEST(GridTest, MarkdownCellsCannotEndTheirColumnOrBeTags) {
  EXPECT_EQ(RenderMarkdown(TwoCells("a|b", "<script>\nx")),
            "| name | value |\n| --- | ---: |\n| a\\|b | &lt;script> x |\n");
}

TEST(GridTest, TextIsAligned) {
  EXPECT_EQ(RenderText(TwoCells("abcdef", "1")), "name    value\nabcdef      1\n");
}

TEST(GridTest, AnExactNumberIsReadBackAsItWas) {
  const double value = 0.1 + 0.2;
  EXPECT_EQ(std::stod(ExactNumber(value)), value);
  EXPECT_EQ(ExactNumber(13290), "13290");
}

}  // namespace
}  // namespace schedlab::client
