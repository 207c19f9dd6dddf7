#include "sim/fair/switches.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/runs.h"

namespace schedlab::sim::fair {
namespace {

TEST(SwitchesTest, NoneGivenMeansTheDefaults) {
  const Result<Switches> switches = ParseSwitches(BarePolicy("linux-fair", {}));

  ASSERT_TRUE(switches.has_value());
  EXPECT_EQ(switches->election, Election::kCorrect);
  EXPECT_EQ(switches->wake_wide, WakeWide::kOff);
}

TEST(SwitchesTest, AValueIsReadByItsToken) {
  const Result<Switches> switches =
      ParseSwitches(BarePolicy("linux-fair", {{"election", "inverted"}, {"nohz_kick", "off"}}));

  ASSERT_TRUE(switches.has_value());
  EXPECT_EQ(switches->election, Election::kInverted);
  EXPECT_EQ(switches->nohz_kick, OnOff::kOff);
}

TEST(SwitchesTest, AnUnknownSwitchIsRefusedByName) {
  const Result<Switches> switches =
      ParseSwitches(BarePolicy("linux-fair", {{"electoin", "correct"}}));

  ASSERT_FALSE(switches.has_value());
  EXPECT_EQ(switches.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(switches.error().message.find("electoin"), std::string::npos);
}

TEST(SwitchesTest, AnUnknownValueIsRefusedWithTheKnownOnes) {
  const Result<Switches> switches =
      ParseSwitches(BarePolicy("linux-fair", {{"election", "upside_down"}}));

  ASSERT_FALSE(switches.has_value());
  EXPECT_NE(switches.error().message.find("correct, inverted"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::sim::fair
