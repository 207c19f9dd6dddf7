// The cases that any simulator of this kind must pass, written as rt-app files. Those on shares of
// spinners and on affinity stand as text beside this file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/rt_app_runs.h"

namespace schedlab {
namespace {

using testing::RtAppRun;
using testing::RunRtApp;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): durations only

// A release of each kind of fair class.
class RtAppCasesTest : public ::testing::TestWithParam<const char*> {
 protected:
  static RtAppRun RunHere(testing::RtAppSetup setup, std::string_view text) {
    setup.policy = std::string("linux-fair-releases@") + GetParam();
    return RunRtApp(setup, text);
  }
  static bool IsEevdf() { return std::string_view(GetParam()).starts_with("v6."); }
};

// `count` threads of one task each, named t0-0, t1-1 and so on.
std::string Threads(int count, std::string_view body) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format(R"({}"t{}": {})", i == 0 ? "" : ", ", i, body);
  }
  return fmt::format(R"({{"tasks": {{{}}}}})", text);
}

std::vector<double> WorkOfThreads(const RtAppRun& run, int count) {
  std::vector<double> work;
  for (int i = 0; i < count; ++i) work.push_back(run.WorkMs(fmt::format("t{}", i)));
  return work;
}

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
double Most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST_P(RtAppCasesTest, A1ATaskRunsExactlyAsLongAsItsWork) {
  const RtAppRun run = RunHere({}, R"({"tasks": {"a": {"loop": 1, "run": 5000}}})");

  EXPECT_EQ(run.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(run.Of("a").work_done, 5ms);
  EXPECT_EQ(run.result.simulated_ns, 5'000'000);
}

TEST_P(RtAppCasesTest, A2TwoRunnersOnOneCpuBothRun) {
  const RtAppRun run = RunHere({}, R"({"tasks": {"a": {"instance": 2, "run": 20000}}})");

  EXPECT_EQ(run.log.starts_.size(), 2U);
}

TEST_P(RtAppCasesTest, A3TwoRunnersUseTwoOfFourCpus) {
  const RtAppRun run =
      RunHere({.shape = "core:4"}, R"({"tasks": {"a": {"instance": 2, "run": 50000}}})");

  EXPECT_GE(run.log.used_cpus_.size(), 2U);
  EXPECT_NEAR(run.WorkMs("a"), 200, 0.1);
}

TEST_P(RtAppCasesTest, A4OneSeedGivesTheSameEventsOneByOne) {
  // RunRtApp() compares the digests of two runs.
  const RtAppRun run = RunHere({.shape = "core:2", .duration = 50ms},
                               R"({"tasks": {"a": {"run": 1000}, "b": {"priority": -3,
                                                                       "run": 1000}}})");

  EXPECT_NEAR(run.WorkMs("a") + run.WorkMs("b"), 100, 0.1);
}

TEST_P(RtAppCasesTest, A5TwoEqualRunnersShareACpu) {
  const RtAppRun run =
      RunHere({.duration = 500ms}, R"({"tasks": {"a": {"run": 1000}, "b": {"run": 1000}}})");

  const double tolerance_ms = IsEevdf() ? 2.5 : 12.5;
  EXPECT_NEAR(run.WorkMs("a"), 250, tolerance_ms);
  EXPECT_NEAR(run.WorkMs("b"), 250, tolerance_ms);
}

TEST_P(RtAppCasesTest, A6RunAndSleepAddUp) {
  const RtAppRun run = RunHere({}, R"({"tasks": {"a": {"run": 5000, "sleep": 10000}}})");

  EXPECT_EQ(run.log.starts_.at("a-0"), 7);
  EXPECT_NEAR(run.WorkMs("a"), 35, 0.1);
}

TEST_P(RtAppCasesTest, A7NiceMinusThreeGetsTwiceTheShare) {
  const RtAppRun run =
      RunHere({.duration = 200ms},
              R"({"tasks": {"a": {"priority": -3, "run": 1000}, "b": {"run": 1000}}})");

  EXPECT_GE(run.WorkMs("a") / run.WorkMs("b"), 1.5);
  EXPECT_LE(run.WorkMs("a") / run.WorkMs("b"), 2.5);
}

TEST_P(RtAppCasesTest, A8SharesFollowTheWeights) {
  const RtAppRun run =
      RunHere({.duration = 600ms}, R"({"tasks": {"low": {"priority": 5, "run": 1000},
          "middle": {"priority": 2, "run": 1000}, "high": {"run": 1000}}})");

  EXPECT_NEAR(run.WorkMs("middle") / run.WorkMs("low"), 1.96, 0.4);
  EXPECT_NEAR(run.WorkMs("high") / run.WorkMs("low"), 3.06, 0.6);
}

TEST_P(RtAppCasesTest, A9ALongRunIsExactWhateverItsSlices) {
  const RtAppRun run = RunHere({.duration = 200ms},
                               R"({"tasks": {"a": {"loop": 1, "dl-runtime": 20000,
                                                    "run": 100000}}})");

  EXPECT_EQ(run.Of("a").work_done, 100ms);
  EXPECT_EQ(run.result.simulated_ns, 100'000'000);
}

// The case asks for three starts; a slice ends only for the sake of somebody else.
TEST_P(RtAppCasesTest, A9ALongRunStartsThreeTimesBesideAnother) {
  const RtAppRun run = RunHere({.duration = 200ms},
                               R"({"tasks": {"a": {"loop": 1, "dl-runtime": 20000,
                                                   "run": 100000},
                                             "b": {"run": 1000}}})");

  EXPECT_GE(run.log.starts_.at("a-0"), 3);
}

TEST_P(RtAppCasesTest, A9ALongRunAloneStartsOnce) {
  const RtAppRun run = RunHere({.duration = 200ms},
                               R"({"tasks": {"a": {"loop": 1, "dl-runtime": 20000,
                                                   "run": 100000}}})");

  EXPECT_EQ(run.log.starts_.at("a-0"), 1);
}

TEST_P(RtAppCasesTest, A10TwoRunnersAlternate) {
  const RtAppRun run = RunHere({}, R"({"tasks": {"a": {"run": 1000}, "b": {"run": 1000}}})");

  EXPECT_GE(run.log.starts_.at("a-0"), 2);
  EXPECT_GE(run.log.starts_.at("b-1"), 2);
  EXPECT_GE(run.log.order_.size(), 3U);
}

TEST_P(RtAppCasesTest, B1HeavyAndLightFitOnTwoCpus) {
  const RtAppRun run = RunHere({.shape = "core:2", .duration = 1s},
                               R"({"tasks": {
      "heavy": {"priority": -5, "run": 10000, "sleep": 10000},
      "light": {"run": 5000, "sleep": 15000}}})");

  EXPECT_NEAR(static_cast<double>(run.Of("heavy").activation_count), 50, 1);
  EXPECT_NEAR(run.WorkMs("heavy"), 500, 10);
  EXPECT_NEAR(run.WorkMs("light"), 250, 5);
}

TEST_P(RtAppCasesTest, B2AnOverloadedMachineIsNeverIdleAndSharesAreEqual) {
  const RtAppRun run = RunHere({.shape = "core:4", .duration = 1s},
                               Threads(8, R"({"cpus": [0, 1, 2, 3], "run": 2000, "sleep": 1000})"));
  const std::vector<double> work = WorkOfThreads(run, 8);

  EXPECT_GE(Sum(work), 3'900);
  EXPECT_GE(Least(work), 0.95 * Sum(work) / 8);
  EXPECT_LE(Most(work), 1.05 * Sum(work) / 8);
}

TEST_P(RtAppCasesTest, B3SpinnersKeepEveryCpuBusyAndShareItEvenly) {
  const RtAppRun run = RunHere({.shape = "core:4", .duration = 1s},
                               Threads(16, R"({"cpus": [0, 1, 2, 3], "run": 1000})"));
  const std::vector<double> work = WorkOfThreads(run, 16);

  EXPECT_NEAR(Sum(work), 4'000, 1);
  // Expected: within a slice, which is 5 to 8 ms here (docs/simulator.md).
  EXPECT_GE(Least(work), 240);
  EXPECT_LE(Most(work), 260);
}

TEST_P(RtAppCasesTest, B4AConsumerRunsOncePerPeriodOfItsProducer) {
  const RtAppRun run = RunHere({.shape = "core:2", .duration = 1s},
                               R"({"tasks": {
      "consumer": {"suspend": "", "run": 10000},
      "producer": {"priority": -5, "run": 5000, "resume": "consumer", "run": 5000,
                   "sleep": 10000}}})");

  EXPECT_EQ(run.log.wakeups_.at("consumer-0"), 50);
  EXPECT_NEAR(static_cast<double>(run.Of("consumer").activation_count), 50, 1);
  EXPECT_NEAR(run.WorkMs("consumer"), 500, 10);
}

TEST_P(RtAppCasesTest, B4AConsumerDoesNotRunBeforeItsFirstResume) {
  const RtAppRun run = RunHere({.shape = "core:2", .duration = 4ms},
                               R"({"tasks": {
      "consumer": {"suspend": "", "run": 10000},
      "producer": {"run": 5000, "resume": "consumer", "run": 5000, "sleep": 10000}}})");

  EXPECT_EQ(run.Of("consumer").work_done, 0ms);
}

TEST_P(RtAppCasesTest, B5TasksOfShortRunsWakeAtOnceAmongTasksOfLongRuns) {
  const RtAppRun run = RunHere({.shape = "core:4", .duration = 200ms},
                               R"({"tasks": {
      "cpu": {"instance": 2, "run": 10000, "sleep": 100},
      "io": {"instance": 2, "run": 200, "timer": {"ref": "unique", "period": 2200}}}})");

  EXPECT_LT(run.Of("io").timer_latency_max, 10us);
  EXPECT_GT(run.WorkMs("cpu"), 0.98 * 400);
}

// C2: what a migration costs is what the machine says, inside a node and across.
TEST(RtAppMigrationTest, C2AMoveToAnotherNodeCostsWhatTheMachineSays) {
  Topology topology = testing::FreeTopology("numa:2 l3:2 core:1");
  topology.costs.refill_same_node_ns = 1'000;
  topology.costs.refill_remote_ns = 40'000;
  const auto duration_of = [&](const std::string& second_cpu) {
    const TaskScript script = ingest::ParseRtApp(R"({"tasks": {"a": {"loop": 1, "phases": {
            "here": {"cpus": [0], "run": 1000}, "there": {"cpus": [)" +
                                                 second_cpu + R"(], "run": 1000}}}}})")
                                  .value()
                                  .script;
    return testing::RunOnce({}, script, topology).result.simulated_ns;
  };

  EXPECT_EQ(duration_of("1") - duration_of("0"), 1'000);
  EXPECT_EQ(duration_of("2") - duration_of("0"), 40'000);
}

INSTANTIATE_TEST_SUITE_P(Releases, RtAppCasesTest,
                         ::testing::Values("v2.6.33", "v3.13", "v4.9", "v5.4", "v6.6", "v6.12"),
                         [](const auto& release) {
                           std::string name = release.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace schedlab
