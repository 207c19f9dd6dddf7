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

struct Choice {
  const char* name;
  const char* value;
  const char* other;
};

// Whether the two values of a switch differ in any of a few runs.
bool ChangesARun(const Choice& choice) {
  std::vector<Scenario> scenarios = {
      ShippedScenario("kvm-4x4", "hackbench"),
      ShippedScenario("epyc-2s", "tbench"),
      ShippedScenario("kvm-4x4", "spinners", {{"tasks_count", 40}, {"start_cpus_count", 3}}),
      ShippedScenario("juno-r0", "spinners", {{"tasks_count", 4}, {"start_cpus_count", 2}}),
      ShippedScenario("opteron-8n", "spinners", {{"tasks_count", 12}, {"start_cpus_count", 3}}),
      ShippedScenario("snb-ep-2s", "spinners", {{"tasks_count", 2}, {"start_cpus_count", 2}}),
      ShippedScenario("snb-ep-2s", "spinners", {{"tasks_count", 12}})};
  for (Scenario& scenario : scenarios) {
    scenario.duration_ns = 300'000'000;
    for (const char* const base : {"v6.12", "v4.13"}) {
      const std::string policy = std::string("linux-fair-releases@") + base;
      const auto digest = [&](const char* value) {
        return Simulate(scenario, ShippedPolicy(policy, {{choice.name, value}}), 1, {})->digest;
      };
      if (digest(choice.value) != digest(choice.other)) return true;
    }
  }
  return false;
}

TEST(LaterSwitchesTest, EveryValueChangesARun) {
  const std::vector<Choice> choices = {
      {"wake_affine_rule", "same_cache", "load"},
      {"wake_affine_rule", "idle_or_weight", "same_cache"},
      {"wake_affine_rule", "idle_or_weight_or_prev", "idle_or_weight"},
      {"wake_idle_search", "sis_avg_cost", "llc_group_prevfirst"},
      {"wake_idle_search", "sis_prop", "sis_avg_cost"},
      {"wake_idle_search", "sis_one_scan", "sis_prop"},
      {"wake_idle_search", "sis_one_scan_smt", "sis_one_scan"},
      {"wake_idle_search", "sis_util", "sis_one_scan_smt"},
      {"wake_recent_cpu", "on", "off"},
      {"idlest_group_rule", "spare_capacity", "average_load"},
      {"idlest_group_rule", "group_types", "spare_capacity"},
      {"idlest_cpu_rule", "idle_first", "least_load"},
      {"newidle_overload_check", "on", "off"},
      {"group_capacity", "utilization", "capped_by_cores"},
      {"classification", "type_then_load", "average_load"},
      {"classification", "group_types", "type_then_load"},
      {"classification", "group_types_runnable", "group_types"},
      {"classification", "group_types_local_average", "group_types_runnable"},
      {"numa_imbalance", "two_tasks", "none"},
      {"numa_imbalance", "per_llc", "two_tasks"},
      {"asym_capacity", "misfit", "ignored"}};
  for (const Choice& choice : choices) {
    EXPECT_TRUE(ChangesARun(choice)) << choice.name << " " << choice.value;
  }
}

}  // namespace
}  // namespace schedlab::sim
