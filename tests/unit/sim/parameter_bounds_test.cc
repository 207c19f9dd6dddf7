#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/make_workload.h"
#include "sim/run.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

using Settings = std::map<std::string, std::int64_t>;

// What a run of a moment comes to.
Result<RunResult> RunBriefly(const std::string& workload, const Settings& settings) {
  Scenario scenario = ShippedScenario("kvm-4x4", workload, settings);
  scenario.duration_ns = 1'000'000;
  return Simulate(scenario, ShippedPolicy("linux-fair@v3.11"), 1, {});
}

std::string MessageOf(const Result<RunResult>& result) {
  return result.has_value() ? "" : result.error().message;
}

// Legal values run; only their product may be too much, and then it is refused in words.
void ExpectRunsOrIsRefused(const std::string& workload, const Settings& settings) {
  const Result<RunResult> result = RunBriefly(workload, settings);
  if (result.has_value()) return;
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << result.error().message;
  EXPECT_NE(result.error().message.find("at most 131072"), std::string::npos);
}

class ParameterBoundsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ParameterBoundsTest, EachParameterRunsAtItsBounds) {
  for (const ParameterRule& rule : ParameterRulesOf(GetParam())) {
    SCOPED_TRACE(rule.name);
    EXPECT_EQ(MessageOf(RunBriefly(GetParam(), {{std::string(rule.name), rule.minimum}})), "");
    EXPECT_EQ(MessageOf(RunBriefly(GetParam(), {{std::string(rule.name), rule.maximum}})), "");
  }
}

TEST_P(ParameterBoundsTest, AnyTwoParametersAtTheirBoundsRunOrAreRefused) {
  const auto rules = ParameterRulesOf(GetParam());
  for (const ParameterRule& first : rules) {
    for (const ParameterRule& second : rules) {
      SCOPED_TRACE(std::string(first.name) + " and " + std::string(second.name));
      const std::string a(first.name);
      const std::string b(second.name);
      ExpectRunsOrIsRefused(GetParam(), {{a, first.minimum}, {b, second.maximum}});
    }
  }
}

TEST_P(ParameterBoundsTest, AllParametersAtTheSameBoundRunOrAreRefused) {
  Settings least;
  Settings most;
  for (const ParameterRule& rule : ParameterRulesOf(GetParam())) {
    least[std::string(rule.name)] = rule.minimum;
    most[std::string(rule.name)] = rule.maximum;
  }
  ExpectRunsOrIsRefused(GetParam(), least);
  ExpectRunsOrIsRefused(GetParam(), most);
}

INSTANTIATE_TEST_SUITE_P(Workloads, ParameterBoundsTest,
                         ::testing::Values("barrier", "dbench", "fs_mark", "hackbench", "kbuild",
                                           "mmap_pread_seq", "netperf_rr", "pipe", "schbench",
                                           "spinners", "stress", "sysbench_cpu", "sysbench_oltp",
                                           "tbench"));

TEST(TaskLimitTest, TooManyTasksAreRefusedWithTheirFactorsAndTheLimit) {
  const Result<RunResult> result =
      RunBriefly("hackbench", {{"groups_count", 1'000}, {"pairs_count", 1'000}});

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message,
            "the workload has 2000001 tasks (a parent and 2 * groups_count 1000 * pairs_count "
            "1000); a run takes at most 131072");
}

TEST(TaskLimitTest, ALongScriptIsRefused) {
  ScriptedTask task;
  task.steps = {{.duration = SimDuration(1)}};
  Scripted workload(std::vector<ScriptedTask>(kMaxTasksPerRun + 1, task));
  const Topology topology = testing::FreeTopology("core:2");
  const PolicySpec policy = ShippedPolicy("linux-fair");
  const RunSetup setup{
      .topology = topology, .policy = policy, .duration = SimDuration(1), .seed = 1};
  const Result<RunResult> result = sim::Run(setup, workload, {});

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(result.error().message.find("131073 tasks (as the script says)"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::sim
