#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/run.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

using Kind = ScriptStep::Kind;

constexpr std::int64_t kMs = 1'000'000;

ScriptedTask Runner(std::string name, std::int64_t work_ms, CpuNumber start_cpu = kNoCpu) {
  ScriptedTask task;
  task.name = std::move(name);
  task.start_cpu = start_cpu;
  task.steps = {{.kind = Kind::kRun, .duration = SimDuration(work_ms * kMs)}};
  return task;
}

struct Outcome {
  RunResult result;
  std::vector<std::int64_t> done_ms;
};

Outcome RunScript(const Topology& topology, const PolicySpec& policy,
                  const std::vector<ScriptedTask>& script, std::int64_t duration_ms) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 2; ++i) {
    Scripted workload(script);
    const Result<RunResult> result = Run({.topology = topology,
                                          .policy = policy,
                                          .duration = SimDuration(duration_ms * kMs),
                                          .seed = 1},
                                         workload, {});
    EXPECT_TRUE(result.has_value()) << result.error().message;
    outcomes.push_back({*result, {}});
    for (const SimDuration done : workload.WorkDone()) {
      outcomes.back().done_ms.push_back(done.count() / kMs);
    }
  }
  EXPECT_EQ(outcomes[0].result, outcomes[1].result);
  return outcomes[0];
}

class ReferencePoliciesTest : public ::testing::TestWithParam<const char*> {};

// On even CPUs, on CPUs of two speeds, and on threads that share cores.
TEST_P(ReferencePoliciesTest, EveryShippedWorkloadRuns) {
  for (const char* topology : {"kvm-4x4", "juno-r0", "nehalem-ep-2s"}) {
    for (const WorkloadDefinition& workload : WorkloadsWithoutDocument()) {
      Scenario scenario = ShippedScenario(topology, workload.name);
      scenario.duration_ns = 100 * kMs;

      EXPECT_GT(RunTwice(scenario, ShippedPolicy(GetParam()), 1).event_count, 0)
          << workload.name << " on " << topology;
    }
  }
}

TEST_P(ReferencePoliciesTest, ATaskRunsForExactlyItsWork) {
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:1"), BarePolicy(GetParam(), {}), {Runner("a", 5)}, 100);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{5}));
}

INSTANTIATE_TEST_SUITE_P(Policies, ReferencePoliciesTest,
                         ::testing::Values("global-fifo", "per-cpu-fifo", "round-robin",
                                           "work-stealing", "oracle"));

TEST(GlobalFifoTest, ALaterTaskWaitsUntilAnEarlierOneHasDoneItsWork) {
  const Outcome outcome = RunScript(testing::FreeTopology("core:1"), BarePolicy("global-fifo", {}),
                                    {Runner("a", 30), Runner("b", 30)}, 40);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{30, 10}));
}

TEST(GlobalFifoTest, NoCpuIsIdleWhileATaskWaits) {
  std::vector<ScriptedTask> script;
  for (int i = 0; i < 6; ++i) script.push_back(Runner("t", 20, 0));
  const Outcome outcome =
      RunScript(testing::FreeTopology("package:4"), BarePolicy("global-fifo", {}), script, 30);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{20, 20, 20, 20, 10, 10}));
  EXPECT_EQ(outcome.result.metrics.at("wasted_cpu_seconds"), 0);
}

TEST(GlobalFifoTest, APinnedTaskIsPassedOverByOtherCpus) {
  std::vector<ScriptedTask> script = {Runner("a", 20, 0), Runner("pinned", 20, 0),
                                      Runner("c", 20, 0)};
  script[1].cpus = {0};
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:2"), BarePolicy("global-fifo", {}), script, 20);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{20, 0, 20}));
}

TEST(PerCpuFifoTest, ATaskStaysOnItsCpuThoughOthersAreIdle) {
  const Outcome outcome = RunScript(testing::FreeTopology("core:4"), BarePolicy("per-cpu-fifo", {}),
                                    {Runner("a", 20, 0), Runner("b", 20, 0)}, 30);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{20, 10}));
  EXPECT_DOUBLE_EQ(outcome.result.metrics.at("wasted_cpu_seconds"), 0.02);
}

TEST(RoundRobinTest, TasksTakeTurnsOfOneQuantum) {
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:1"), BarePolicy("round-robin", {{"quantum", "10ms"}}),
                {Runner("a", 100), Runner("b", 100), Runner("c", 100)}, 50);

  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{20, 20, 10}));
}

TEST(WorkStealingTest, AnIdleCpuTakesAWaitingTask) {
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:2"), BarePolicy("work-stealing", {}),
                {Runner("a", 20, 0), Runner("b", 20, 0), Runner("c", 20, 0)}, 30);

  // b is done on the second CPU while a is on the first; c follows on whichever is free at 20 ms.
  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{20, 20, 10}));
}

TEST(WorkStealingTest, TheVictimIsTheNearestOrTheOneWithTheLongestQueue) {
  // CPU 0 runs dry at 5 ms; 1 shares its cache and has one task waiting, 2 does not and has three.
  std::vector<ScriptedTask> script = {Runner("short", 5, 0), Runner("other", 40, 3)};
  for (int i = 0; i < 2; ++i) script.push_back(Runner("near", 40, 1));
  for (int i = 0; i < 4; ++i) script.push_back(Runner("far", 40, 2));
  const Topology topology = testing::FreeTopology("package:2 l3:1 core:2");
  const Outcome nearest =
      RunScript(topology, BarePolicy("work-stealing", {{"victim", "nearest"}}), script, 8);
  const Outcome longest =
      RunScript(topology, BarePolicy("work-stealing", {{"victim", "longest"}}), script, 8);

  EXPECT_EQ(nearest.done_ms, (std::vector<std::int64_t>{5, 8, 8, 3, 8, 0, 0, 0}));
  EXPECT_EQ(longest.done_ms, (std::vector<std::int64_t>{5, 8, 8, 0, 8, 3, 0, 0}));
}

TEST(OracleTest, NothingButTheHardwareCosts) {
  const Scenario scenario = ShippedScenario("kvm-16x1", "spinners");
  const RunResult result = RunTwice(scenario, ShippedPolicy("oracle"), 1);

  EXPECT_EQ(result.metrics.at("overhead_ratio"), 0);
}

TEST(OracleTest, TwoTasksDoNotShareACoreWhileAnotherIsIdle) {
  Topology topology = testing::FreeTopology("core:2 pu:2");
  topology.costs.smt_slowdown_permille = 500;
  std::vector<ScriptedTask> script = {Runner("a", 40, 0), Runner("b", 40, 1), Runner("c", 10, 2),
                                      Runner("d", 10, 3)};
  const Outcome outcome = RunScript(topology, BarePolicy("oracle", {}), script, 40);

  // Four share two cores until c and d have ended at 20 ms; then a and b have a core each.
  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{30, 30, 10, 10}));
}

TEST(OracleTest, TheFastestCpusAreAlwaysInUse) {
  Topology topology = testing::FreeTopology("core:2");
  topology.cpus[0].capacity = 512;
  const Outcome outcome =
      RunScript(topology, BarePolicy("oracle", {}), {Runner("a", 100, 0), Runner("b", 10, 1)}, 30);

  // a runs at half speed for 10 ms and then moves to the fast CPU.
  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{25, 10}));
}

TEST(OracleTest, WhoHasSleptTakesTheCpuOfWhoHasHadTheMost) {
  std::vector<ScriptedTask> script = {Runner("hog", 1000), Runner("hog", 1000),
                                      Runner("sleeper", 1)};
  script[2].steps.push_back({.kind = Kind::kSleep, .duration = SimDuration(9 * kMs)});
  script[2].repeat_count = 0;
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:1"), BarePolicy("oracle", {}), script, 200);

  // It never waits for a turn of 4 ms: every 10 ms it has its millisecond.
  EXPECT_EQ(outcome.done_ms, (std::vector<std::int64_t>{90, 90, 20}));
}

TEST(OracleTest, TasksThatOnlyYieldHoldUpNobody) {
  std::vector<ScriptedTask> script = {Runner("yields", 0), Runner("hog", 1000)};
  script[0].steps = {{.kind = Kind::kRun, .duration = SimDuration(100)}, {.kind = Kind::kYield}};
  script[0].repeat_count = 0;
  const Outcome outcome =
      RunScript(testing::FreeTopology("core:1"), BarePolicy("oracle", {}), script, 200);

  EXPECT_GE(outcome.done_ms[1], 100);
}

// Where all of a workload's CPU time goes to what its metric counts, nothing does better. (In
// `stress` some loops count for more than others, so that it matters who gets the CPU.)
TEST(OracleTest, TheFairClassDoesNotBeatIt) {
  const std::map<std::string, std::string> metrics = {
      {"barrier", "phases_per_sec"},       {"dbench", "transactions_per_sec"},
      {"fs_mark", "files_per_sec"},        {"hackbench", "messages_per_sec"},
      {"netperf_rr", "exchanges_per_sec"}, {"schbench", "requests_per_sec"},
      {"spinners", "work_per_sec"},        {"sysbench_oltp", "transactions_per_sec"},
      {"tbench", "exchanges_per_sec"}};
  for (const auto& [workload, metric] : metrics) {
    Scenario scenario = ShippedScenario("kvm-4x4", workload);
    scenario.duration_ns = 300 * kMs;
    const RunResult oracle = RunTwice(scenario, ShippedPolicy("oracle"), 1);
    for (const char* release : {"linux-fair-releases@v3.11", "linux-fair-releases@v6.12"}) {
      const RunResult fair = RunTwice(scenario, ShippedPolicy(release), 1);

      EXPECT_GE(oracle.metrics.at(metric), 0.995 * fair.metrics.at(metric))
          << workload << ", " << release;
    }
  }
}

}  // namespace
}  // namespace schedlab::sim
