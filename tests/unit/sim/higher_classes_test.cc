#include "sim/linux/higher_classes.h"

#include <gtest/gtest.h>

#include "tests/support/topologies.h"

namespace schedlab::sim::linux {
namespace {

constexpr SimDuration kMs{1'000'000};

class HigherClassesTest : public ::testing::Test {
 protected:
  // A CPU whose tasks of higher classes run for `ran` of every `period`, up to `end`.
  static double LeftAfter(CapacityModel model, SimDuration ran, SimDuration period,
                          SimDuration end) {
    Machine machine(testing::FreeTopology("package:2"));
    HigherClasses higher(machine, model);
    for (SimTime at = SimTime(period); at <= SimTime(end); at += period) {
      machine.events().AdvanceTo(at);
      higher.Ran(0, ran);
    }
    EXPECT_EQ(higher.CapacityLeft(1, 1024), 1024);
    return static_cast<double>(higher.CapacityLeft(0, 1024));
  }
};

TEST_F(HigherClassesTest, AnUndisturbedCpuHasAllOfItsCapacity) {
  EXPECT_EQ(LeftAfter(CapacityModel::kHalvedAverage, SimDuration{0}, kMs, 100 * kMs), 1024);
  EXPECT_EQ(LeftAfter(CapacityModel::kPelt, SimDuration{0}, kMs, 100 * kMs), 1024);
}

// The average is of what is left after halving and of the current half-second: one half in the long
// run, whatever the instant.
TEST_F(HigherClassesTest, HalfTheTimeTakesHalfOfTheCapacity) {
  EXPECT_NEAR(LeftAfter(CapacityModel::kHalvedAverage, kMs, 2 * kMs, 5'250 * kMs), 512, 20);
  EXPECT_NEAR(LeftAfter(CapacityModel::kPelt, kMs, 2 * kMs, 5'250 * kMs), 512, 12);
}

TEST_F(HigherClassesTest, ACpuThatIsTakenWhollyHasNextToNothing) {
  EXPECT_LE(LeftAfter(CapacityModel::kHalvedAverage, kMs, kMs, 5'000 * kMs), 2);
  EXPECT_LE(LeftAfter(CapacityModel::kPelt, kMs, kMs, 5'000 * kMs), 2);
}

TEST_F(HigherClassesTest, HalfOfAPeltAverageIsForgottenIn32Segments) {
  Machine machine(testing::FreeTopology("package:1"));
  HigherClasses higher(machine, CapacityModel::kPelt);
  machine.events().AdvanceTo(SimTime(1'000 * kMs));
  higher.Ran(0, 1'000 * kMs);
  machine.events().AdvanceTo(SimTime(1'000 * kMs + SimDuration(32 * 1'048'576)));

  EXPECT_NEAR(static_cast<double>(higher.CapacityLeft(0, 1024)), 512, 1);
}

TEST_F(HigherClassesTest, InterruptsTakeCapacityUnderBothModels) {
  Machine machine(testing::FreeTopology("package:1"));
  HigherClasses halved(machine, CapacityModel::kHalvedAverage);
  HigherClasses pelt(machine, CapacityModel::kPelt);
  for (std::int64_t ms = 4; ms <= 3'000; ms += 4) {
    machine.events().AdvanceTo(SimTime(ms * kMs));
    machine.ChargeIrq(0, kMs);
    halved.CapacityLeft(0, 1024);
    pelt.CapacityLeft(0, 1024);
  }

  EXPECT_NEAR(static_cast<double>(halved.CapacityLeft(0, 1024)), 768, 10);
  EXPECT_NEAR(static_cast<double>(pelt.CapacityLeft(0, 1024)), 768, 10);
}

}  // namespace
}  // namespace schedlab::sim::linux
