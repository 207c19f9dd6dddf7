#include "measure/calibration.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "measure/place.h"

namespace schedlab::measure {
namespace {

constexpr Effort kLeast{.round_count = 1, .size_permille = 1};

// A machine with the CPUs that this process may use, two at most, under one cache.
SysTopology SmallMachine() {
  SysTopology machine{.cpus = {}, .node_distances = {{10}}, .os_indexes = AllowedCpus()};
  if (machine.os_indexes.size() > 2) machine.os_indexes.resize(2);
  for (std::size_t i = 0; i < machine.os_indexes.size(); ++i) {
    const auto core = static_cast<std::int32_t>(i);
    machine.cpus.push_back({.core = core, .cluster = core});
  }
  return machine;
}

TEST(CalibrationTest, OneCpuIsEnoughForWhatNeedsOne) {
  SysTopology machine = SmallMachine();
  machine.os_indexes.resize(1);
  machine.cpus.resize(1);

  const Result<Measurements> measured = Calibrate(machine, kLeast, [](std::string_view) {});

  ASSERT_TRUE(measured.has_value()) << measured.error().message;
  EXPECT_GT(measured->handoff_threads.median, 0);
  EXPECT_GT(measured->socket_write_100.median, 0);
  EXPECT_FALSE(measured->line_same_llc.is_measured());
  EXPECT_FALSE(measured->latency_idle_20us.is_measured());
}

TEST(CalibrationTest, AnotherCpuUnderTheCacheIsMeasuredToo) {
  const SysTopology machine = SmallMachine();
  const bool has_two = machine.cpus.size() == 2;

  const Result<Measurements> measured = Calibrate(machine, kLeast, [](std::string_view) {});

  ASSERT_TRUE(measured.has_value()) << measured.error().message;
  EXPECT_EQ(measured->line_same_llc.is_measured(), has_two);
  EXPECT_FALSE(measured->line_remote.is_measured());
}

TEST(CalibrationTest, TheThreadMayAfterwardsRunWhereItMightBefore) {
  const std::vector<std::int32_t> before = AllowedCpus();

  ASSERT_TRUE(Calibrate(SmallMachine(), kLeast, [](std::string_view) {}).has_value());

  EXPECT_EQ(AllowedCpus(), before);
}

TEST(CalibrationTest, AMachineWithoutACpuOfThisProcessIsRefused) {
  SysTopology machine = SmallMachine();
  machine.os_indexes.assign(machine.os_indexes.size(), 1'000'000);

  const Result<Measurements> measured = Calibrate(machine, kLeast, [](std::string_view) {});

  ASSERT_FALSE(measured.has_value());
  EXPECT_EQ(measured.error().code, ErrorCode::kFailedPrecondition);
}

TEST(MeasurementsTest, EveryOneHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const MeasurementField& field : MeasurementFields()) names.insert(field.name);

  EXPECT_EQ(names.size(), MeasurementFields().size());
  EXPECT_EQ(sizeof(Measurements), MeasurementFields().size() * sizeof(Spread));
}

}  // namespace
}  // namespace schedlab::measure
