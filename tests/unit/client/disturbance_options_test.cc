#include "client/disturbance_options.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

TEST(DisturbanceOptionsTest, HotplugIsATimeACpuAndAState) {
  const std::vector<HotplugEvent> expected = {
      {.at_ns = 2'000'000'000, .cpu = 3, .is_online = false},
      {.at_ns = 4'000'000'000, .cpu = 3, .is_online = true}};

  EXPECT_EQ(ParseHotplug({"2s:3:off", "4s:3:on"}).value(), expected);
}

TEST(DisturbanceOptionsTest, HotplugThatCannotBeReadIsQuoted) {
  EXPECT_EQ(ParseHotplug({"2s:3"}).error().message,
            "--hotplug 2s:3: write it as TIME:CPU:on or TIME:CPU:off");
  EXPECT_EQ(ParseHotplug({"2s:three:off"}).error().message,
            "--hotplug 2s:three:off: 'three' is not the number of a CPU");
  EXPECT_TRUE(ParseHotplug({"soon:3:off"})
                  .error()
                  .message.starts_with("--hotplug soon:3:off: 'soon' is not a duration"));
  EXPECT_EQ(ParseHotplug({"0s:3:off"})->front().at_ns, 0);
}

TEST(DisturbanceOptionsTest, AnInterruptSourceIsACpuAPeriodAndADuration) {
  const std::vector<IrqSource> expected = {
      {.cpu = 0, .period_ns = 1'000'000, .duration_ns = 50'000}};

  EXPECT_EQ(ParseIrqSources({"0:1ms:50us"}).value(), expected);
  EXPECT_EQ(ParseIrqSources({"0:1ms"}).error().message,
            "--irq 0:1ms: write it as CPU:PERIOD:DURATION");
}

}  // namespace
}  // namespace schedlab::client
