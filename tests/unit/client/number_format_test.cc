#include "client/number_format.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(FormatNumberTest, KeepsFourSignificantDigits) {
  EXPECT_EQ(FormatNumber(0), "0");
  EXPECT_EQ(FormatNumber(18347.8), "18350");
  EXPECT_EQ(FormatNumber(250083), "250100");
  EXPECT_EQ(FormatNumber(1234.4), "1234");
  EXPECT_EQ(FormatNumber(12.3456), "12.35");
  EXPECT_EQ(FormatNumber(0.0241234), "0.02412");
  EXPECT_EQ(FormatNumber(-5.5), "-5.5");
}

TEST(FormatNumberTest, DropsZerosThatSayNothing) {
  EXPECT_EQ(FormatNumber(5), "5");
  EXPECT_EQ(FormatNumber(2.50), "2.5");
  EXPECT_EQ(FormatNumber(100), "100");
}

TEST(FormatNumberTest, TakesAnExponentAtTheEnds) {
  EXPECT_EQ(FormatNumber(0.0000123456), "1.235e-05");
  EXPECT_EQ(FormatNumber(1.23456e12), "1.235e+12");
}

TEST(FormatRelativeTest, HasASignAndAUnit) {
  EXPECT_EQ(FormatRelative(-0.2755), "-27.6 %");
  EXPECT_EQ(FormatRelative(0.3), "+30.0 %");
  EXPECT_EQ(FormatRelative(std::nullopt), "n/a");
}

TEST(FormatSpreadTest, IsTheCoefficientOfVariation) {
  EXPECT_EQ(FormatSpread({.count = 5, .mean = 200, .stddev = 2.2}), "1.1 %");
  EXPECT_EQ(FormatSpread({.count = 1, .mean = 200, .stddev = std::nullopt}), "n/a");
  EXPECT_EQ(FormatSpread({.count = 5, .mean = 0, .stddev = 1}), "n/a");
}

TEST(FormatSummaryTest, NeverShowsAMeanAlone) {
  EXPECT_EQ(FormatSummary({.count = 5, .mean = 18350, .stddev = 201.85}), "18350 (n=5, CV 1.1 %)");
}

TEST(FormatElapsedTest, ChoosesTheUnit) {
  EXPECT_EQ(FormatElapsed(milliseconds{850}), "850 ms");
  EXPECT_EQ(FormatElapsed(milliseconds{1100}), "1.1 s");
  EXPECT_EQ(FormatElapsed(milliseconds{125'000}), "2 min 05 s");
}

TEST(FormatTimeTest, IsUniversalTime) {
  EXPECT_EQ(FormatTime(WallTime(std::chrono::seconds{1'385'000'000})), "2013-11-21T02:13:20Z");
}

TEST(ShortIdTest, HasTwelveCharacters) {
  EXPECT_EQ(ShortId("23f0d2093c789e612185180c4682094a4b31faf3"), "23f0d2093c78");
  EXPECT_EQ(ShortId("v3.12"), "v3.12");
}

TEST(ParseDurationTest, ReadsUnitsAndSumsThem) {
  EXPECT_EQ(ParseDuration("8s").value(), nanoseconds{8'000'000'000});
  EXPECT_EQ(ParseDuration("500ms").value(), milliseconds{500});
  EXPECT_EQ(ParseDuration("45m").value(), std::chrono::minutes{45});
  EXPECT_EQ(ParseDuration("1h30m").value(), std::chrono::minutes{90});
  EXPECT_EQ(ParseDuration("2.5s").value(), milliseconds{2500});
}

TEST(ParseDurationTest, RefusesWhatIsNotADuration) {
  for (const char* text : {"", "8", "s", "-1s", "8x", "0s", "8s foo", "1e30h"}) {
    EXPECT_EQ(ParseDuration(text).error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(ParseDurationTest, NothingIsToldApartFromNonsense) {
  EXPECT_EQ(ParseDuration("0s").error().message, "'0s' is no time at all; it must be at least 1ns");
  EXPECT_EQ(ParseDuration("0.1ns").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ParseInstant("0s").value(), nanoseconds{0});
  EXPECT_EQ(ParseInstant("").error().code, ErrorCode::kInvalidArgument);
}

TEST(ParsePortTest, TakesOnlyPorts) {
  EXPECT_EQ(ParsePort("7450").value(), 7450);
  EXPECT_EQ(ParsePort("65535").value(), 65535);
  for (const char* text : {"0", "65536", "-1", "74 50", "http", ""}) {
    EXPECT_EQ(ParsePort(text).error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(ParseNameValueTest, SplitsAtTheFirstEquals) {
  const NameValue pair = ParseNameValue("--set", "nohz=kick=all").value();

  EXPECT_EQ(pair.name, "nohz");
  EXPECT_EQ(pair.value, "kick=all");
}

TEST(ParseNameValueTest, NamesTheOptionOfAMistake) {
  const Result<NameValue> pair = ParseNameValue("--param", "writers");

  EXPECT_EQ(pair.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(pair.error().message, "--param wants name=value, not 'writers'");
}

}  // namespace
}  // namespace schedlab::client
