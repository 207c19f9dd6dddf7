#include <gtest/gtest.h>

#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

constexpr auto kNewest = "linux-fair-releases@v6.12";

RunResult RunNewest(const std::string& topology, const std::string& workload, std::int64_t ms,
                    const std::map<std::string, std::int64_t>& parameters = {}) {
  Scenario scenario = ShippedScenario(topology, workload, parameters);
  scenario.duration_ns = ms * 1'000'000;
  return RunTwice(scenario, ShippedPolicy(kNewest), 1);
}

class NewestKernelTest : public ::testing::TestWithParam<const char*> {};

TEST_P(NewestKernelTest, PassesMessages) {
  EXPECT_GT(RunNewest(GetParam(), "hackbench", 300).metrics.at("wakeups_per_sec"), 0);
}

TEST_P(NewestKernelTest, AnswersRequests) {
  EXPECT_GT(RunNewest(GetParam(), "schbench", 20).metrics.at("wakeups_per_sec"), 0);
}

INSTANTIATE_TEST_SUITE_P(LargeMachines, NewestKernelTest,
                         ::testing::Values("epyc-2s", "numa-1024"));

class LaterKernelTest : public ::testing::TestWithParam<const char*> {
 protected:
  static RunResult Spin(const std::string& topology,
                        const std::map<std::string, std::int64_t>& parameters) {
    Scenario scenario = ShippedScenario(topology, "spinners", parameters);
    scenario.duration_ns = 4'000'000'000;
    const std::string policy = std::string("linux-fair-releases@") + GetParam();
    return RunTwice(scenario, ShippedPolicy(policy), 1);
  }
};

TEST_P(LaterKernelTest, SpreadsAsManyTasksAsCpus) {
  const RunResult result = Spin("kvm-4x4", {{"tasks_count", 16}, {"start_cpus_count", 4}});

  EXPECT_LT(result.metrics.at("last_wasted_at_sec"), 1.0);
}

TEST_P(LaterKernelTest, SharesTwoCpusAmongThreeTasks) {
  const RunResult result = Spin("kvm-2", {{"tasks_count", 3}});

  EXPECT_LT(result.metrics.at("idle_ratio"), 0.01);
  EXPECT_GT(result.metrics.at("fairness"), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Releases, LaterKernelTest,
                         ::testing::Values("v3.17", "v4.1", "v4.10", "v4.14", "v4.20", "v5.5",
                                           "v5.7", "v5.12", "v6.0", "v6.3", "v6.6", "v6.12"));

}  // namespace
}  // namespace schedlab::sim
