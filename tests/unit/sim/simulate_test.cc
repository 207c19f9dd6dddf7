#include "sim/simulate.h"

#include <gtest/gtest.h>

#include "sim/fair/switches.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

Scenario ShortScenario(const std::string& topology, const std::string& workload) {
  Scenario scenario = ShippedScenario(topology, workload);
  scenario.duration_ns = 2'000'000'000;
  return scenario;
}

Error ErrorOf(const Scenario& scenario, const PolicySpec& policy) {
  const Result<RunResult> result = Simulate(scenario, policy, 1, {});
  EXPECT_FALSE(result.has_value());
  return result ? Error{} : result.error();
}

TEST(SimulateTest, TheSeedDecidesTheDigest) {
  const Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  const PolicySpec policy = ShippedPolicy("linux-fair");

  EXPECT_NE(RunTwice(scenario, policy, 1).digest, RunTwice(scenario, policy, 2).digest);
}

// A change of these is a new engine version.
TEST(SimulateTest, DigestsArePinned) {
  const PolicySpec policy = ShippedPolicy("linux-fair");

  EXPECT_EQ(RunTwice(ShortScenario("kvm-16x1", "fs_mark"), policy, 1).digest, 7879509817597701196U);
  EXPECT_EQ(RunTwice(ShortScenario("snb-ep-2s", "hackbench"), policy, 1).digest,
            15949180531959299927U);
  EXPECT_EQ(RunTwice(ShortScenario("kvm-4x4", "spinners"), policy, 1).digest,
            11612204451926614076U);
}

TEST(SimulateTest, EverySwitchValueRunsOnEveryMachine) {
  for (const fair::KnownSwitch& known : fair::KnownSwitches()) {
    for (const std::string_view value : known.values) {
      const PolicySpec policy =
          BarePolicy("linux-fair", {{std::string(known.name), std::string(value)}});
      for (const char* topology : {"kvm-16x1", "snb-ep-2s"}) {
        Scenario scenario = ShippedScenario(topology, "fs_mark");
        scenario.duration_ns = 50'000'000;
        RunTwice(scenario, policy, 1);
      }
    }
  }
}

TEST(SimulateTest, AnUnknownPolicyIsRefusedByName) {
  const Error error = ErrorOf(ShortScenario("kvm-16x1", "fs_mark"), BarePolicy("linux-unfair", {}));

  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error.message.find("linux-unfair"), std::string::npos);
}

TEST(SimulateTest, AnUnknownWorkloadIsRefusedByName) {
  Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  scenario.workload.name = "fs_park";

  EXPECT_NE(ErrorOf(scenario, ShippedPolicy("linux-fair")).message.find("fs_park"),
            std::string::npos);
}

TEST(SimulateTest, AnUnknownParameterIsRefusedByName) {
  Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  scenario.workload.parameters["writer_count"] = 3;

  EXPECT_NE(ErrorOf(scenario, ShippedPolicy("linux-fair")).message.find("writer_count"),
            std::string::npos);
}

TEST(SimulateTest, AParameterOutOfBoundsIsRefusedWithItsBounds) {
  Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  scenario.workload.parameters["writers_count"] = 0;

  EXPECT_NE(ErrorOf(scenario, ShippedPolicy("linux-fair")).message.find("from 1 to 4096"),
            std::string::npos);
}

TEST(SimulateTest, AMachineWithoutCpusIsRefused) {
  Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  scenario.topology.cpus.clear();

  EXPECT_EQ(ErrorOf(scenario, ShippedPolicy("linux-fair")).code, ErrorCode::kInvalidArgument);
}

TEST(SimulateTest, ARunWithoutDurationIsRefused) {
  Scenario scenario = ShortScenario("kvm-16x1", "fs_mark");
  scenario.duration_ns = 0;

  EXPECT_EQ(ErrorOf(scenario, ShippedPolicy("linux-fair")).code, ErrorCode::kInvalidArgument);
}

TEST(SimulateTest, AStopRequestCancelsTheRun) {
  std::stop_source source;
  source.request_stop();

  const Result<RunResult> result = Simulate(ShippedScenario("kvm-16x1", "fs_mark"),
                                            ShippedPolicy("linux-fair"), 1, source.get_token());

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST(SimulateTest, WhatARunCannotMeasureIsAbsent) {
  const RunResult result =
      RunTwice(ShortScenario("kvm-16x1", "fs_mark"), ShippedPolicy("linux-fair"), 1);

  EXPECT_FALSE(result.metrics.contains("elapsed_sec"));
  EXPECT_FALSE(result.metrics.contains("messages_per_sec"));
  EXPECT_TRUE(result.metrics.contains("files_per_sec"));
}

TEST(SimulateTest, AFixedAmountOfWorkEndsTheRun) {
  const Scenario scenario =
      ShippedScenario("kvm-16x1", "spinners", {{"work_per_task_ns", 10'000'000}});
  const RunResult result = RunTwice(scenario, ShippedPolicy("linux-fair"), 1);

  EXPECT_LT(result.simulated_ns, scenario.duration_ns);
  EXPECT_GT(result.metrics.at("elapsed_sec"), 24 * 0.010 / 16);
}

TEST(SimulateTest, ASingleCpuHasNoBalancerCounters) {
  Scenario scenario = ShortScenario("kvm-16x1", "spinners");
  scenario.topology.cpus.resize(1);

  const RunResult result = RunTwice(scenario, ShippedPolicy("linux-fair"), 1);

  EXPECT_FALSE(result.metrics.contains("lb_count_idle"));
  EXPECT_NEAR(result.metrics.at("work_per_sec"), 1.0, 0.01);
}

}  // namespace
}  // namespace schedlab::sim
