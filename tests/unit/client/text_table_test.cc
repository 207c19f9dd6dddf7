#include "client/text_table.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

TEST(TextTableTest, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({{"metric"}, {"mean / ns", Alignment::kRight}, {"verdict"}});
  table.AddRow({"a", "12", "worse"});
  table.AddRow({"longer name", "3", ""});

  EXPECT_EQ(table.Render(),
            "metric       mean / ns  verdict\n"
            "a                   12  worse\n"
            "longer name          3\n");
}

TEST(TextTableTest, CountsCharactersRatherThanBytes) {
  TextTable table({{"spread"}, {"n"}});
  table.AddRow({"±2", "5"});
  table.AddRow({"abcdef", "5"});

  EXPECT_EQ(table.Render(),
            "spread  n\n"
            "±2      5\n"
            "abcdef  5\n");
}

TEST(TextTableTest, IsEmptyUntilARowIsAdded) {
  TextTable table({{"a"}});
  EXPECT_TRUE(table.empty());

  table.AddRow({"1"});

  EXPECT_FALSE(table.empty());
}

TEST(TextTableTest, ControlCharactersDoNotReachTheTerminal) {
  TextTable table({{"suite"}});
  table.AddRow({"\x1b[2Jnight\nly\xc2\x9b\x7f"});

  EXPECT_EQ(table.Render(), "suite\n\\x1b[2Jnight ly\\x9b\\x7f\n");
}

}  // namespace
}  // namespace schedlab::client
