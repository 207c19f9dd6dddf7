#include "client/terminal.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

TEST(EscapeControlsTest, KeepsTextInAnyLanguage) {
  const std::string text = "a\nb \u00e9 \u4e2d \U0001F600";

  EXPECT_EQ(EscapeControls(text), text);
}

TEST(EscapeControlsTest, ControlsOfBothSizesAreWritten) {
  EXPECT_EQ(EscapeControls("\x1b[31m\t\x7f"), "\\x1b[31m\\x09\\x7f");
  EXPECT_EQ(EscapeControls("\xc2\x9b"), "\\x9b");
}

// Overlong, a surrogate, beyond the last character, cut off, and bytes that begin nothing.
TEST(EscapeControlsTest, BytesThatAreNoTextAreWritten) {
  EXPECT_EQ(EscapeControls("a\xff"
                           "b\x80"),
            "a\\xffb\\x80");
  EXPECT_EQ(EscapeControls("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(EscapeControls("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(EscapeControls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(EscapeControls("\xe4\xb8"), "\\xe4\\xb8");
}

}  // namespace
}  // namespace schedlab::client
