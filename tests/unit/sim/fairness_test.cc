#include "sim/fairness.h"

#include <gtest/gtest.h>

#include "sim/run.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

using Kind = ScriptStep::Kind;

constexpr SimDuration kSecond{1'000'000'000};

ScriptedTask Endless(const std::string& name) {
  ScriptedTask task;
  task.name = name;
  task.start_cpu = 0;
  task.steps = {{.kind = Kind::kRun, .duration = 10 * kSecond}};
  return task;
}

// What `script` gives on one CPU within a second, which is absent where no two tasks compete.
std::map<std::string, double> MetricsOf(const std::vector<ScriptedTask>& script,
                                        const std::string& policy) {
  Scripted workload(script);
  return Run({.topology = testing::FreeTopology("pu:1"),
              .policy = ShippedPolicy(policy),
              .duration = kSecond,
              .seed = 1},
             workload, {})
      .value()
      .metrics;
}

TEST(FairnessTest, TasksThatTakeTurnsShareFairly) {
  const auto metrics = MetricsOf({Endless("a"), Endless("b"), Endless("c")}, "round-robin");

  EXPECT_NEAR(metrics.at("fairness_always_runnable"), 1.0, 0.01);
}

TEST(FairnessTest, WhereOneOfTwoHasEverythingItIsAHalf) {
  const auto metrics = MetricsOf({Endless("a"), Endless("b")}, "per-cpu-fifo");

  EXPECT_DOUBLE_EQ(metrics.at("fairness_always_runnable"), 0.5);
}

TEST(FairnessTest, ATaskThatSleepsDoesNotCompete) {
  ScriptedTask sleeper = Endless("sleeper");
  sleeper.steps = {{.kind = Kind::kSleep, .duration = kSecond / 4},
                   {.kind = Kind::kRun, .duration = 10 * kSecond}};

  EXPECT_FALSE(
      MetricsOf({Endless("a"), sleeper}, "round-robin").contains("fairness_always_runnable"));
}

TEST(FairnessTest, ATaskOfTheSecondHalfOfTheRunDoesNotCompete) {
  ScriptedTask late = Endless("late");
  late.arrival = kSecond * 3 / 4;

  EXPECT_FALSE(MetricsOf({Endless("a"), late}, "round-robin").contains("fairness_always_runnable"));
}

TEST(FairnessTest, TasksOfOtherWeightDoNotCompete) {
  ScriptedTask nice = Endless("nice");
  nice.attributes.nice = 5;

  EXPECT_FALSE(
      MetricsOf({Endless("a"), nice}, "linux-fair@v3.11").contains("fairness_always_runnable"));
}

}  // namespace
}  // namespace schedlab::sim
