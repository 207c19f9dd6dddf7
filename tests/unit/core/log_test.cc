#include "core/log.h"

#include <gtest/gtest.h>

#include <string>

namespace schedlab {
namespace {

class FixedClock final : public Clock {
 public:
  WallTime Now() const override {
    return WallTime{std::chrono::sys_days{std::chrono::year{2030} / 1 / 2}} +
           std::chrono::hours{3} + std::chrono::microseconds{4'000'005};
  }
};

class LogTest : public ::testing::Test {
 protected:
  FixedClock clock_;
  std::string text_;
  Log log_{clock_, LogLevel::kInfo, [this](std::string_view line) { text_ += line; }};
};

TEST_F(LogTest, ALineHasTimeLevelComponentEventAndFieldsInOrder) {
  log_.Info({"dispatcher", "leases_acquired"}, {{"worker", "w-1"}, {"count", 3}, {"ratio", 0.5}});

  EXPECT_EQ(text_,
            "time=2030-01-02T03:00:04.000005Z level=info component=dispatcher "
            "event=leases_acquired worker=w-1 count=3 ratio=0.5\n");
}

TEST_F(LogTest, AnEventBelowTheMinimumIsLeftOut) {
  log_.Debug({"dispatcher", "polled"});

  EXPECT_EQ(text_, "");
}

TEST_F(LogTest, AnEventOfAHigherLevelIsWritten) {
  log_.Error({"server", "failed"});

  EXPECT_EQ(text_, "time=2030-01-02T03:00:04.000005Z level=error component=server event=failed\n");
}

TEST(LogfmtValueTest, APlainWordStandsAsItIs) { EXPECT_EQ(LogfmtValue("a-b/c:1"), "a-b/c:1"); }

TEST(LogfmtValueTest, AnEmptyValueIsQuoted) { EXPECT_EQ(LogfmtValue(""), "\"\""); }

TEST(LogfmtValueTest, SpacesAndEqualsSignsAreQuoted) {
  EXPECT_EQ(LogfmtValue("a=b c"), "\"a=b c\"");
}

TEST(LogfmtValueTest, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(LogfmtValue("say \"x\\y\"\n\x01"), "\"say \\\"x\\\\y\\\"\\n\\x01\"");
}

TEST(LogLevelTest, EveryNameIsReadBack) {
  EXPECT_EQ(LogLevelFromString("debug"), LogLevel::kDebug);
  EXPECT_EQ(LogLevelFromString("info"), LogLevel::kInfo);
  EXPECT_EQ(LogLevelFromString("warn"), LogLevel::kWarn);
  EXPECT_EQ(LogLevelFromString("error"), LogLevel::kError);
  EXPECT_EQ(LogLevelFromString("loud"), std::nullopt);
}

}  // namespace
}  // namespace schedlab
