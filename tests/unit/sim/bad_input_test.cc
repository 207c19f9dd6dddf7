// What nobody should ask for: each is refused in words or comes to a clear verdict.
#include <gtest/gtest.h>

#include <limits>

#include "core/limits.h"
#include "tests/unit/sim/scripted_runs.h"

namespace schedlab::sim {
namespace {

using Kind = ScriptStep::Kind;

constexpr std::int64_t kEventLimit = 100'000;

Result<RunResult> RunOn(const Topology& topology, const Script& script,
                        SimDuration duration = 100 * kMs) {
  Scripted workload(script);
  return Run({.topology = topology,
              .policy = BarePolicy("linux-fair", {}),
              .duration = duration,
              .event_limit = kEventLimit},
             workload, {});
}

Script OneHog() { return {.tasks = {Hog("hog")}, .groups = {}, .changes = {}}; }

std::string RefusalOf(const Topology& topology) {
  const Result<RunResult> result = RunOn(topology, OneHog());
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  return result.error().message;
}

Topology Changed(void (*change)(Topology& topology)) {
  Topology topology = testing::FreeTopology("numa:2 core:2");
  change(topology);
  return topology;
}

TEST(BadInputTest, AbsurdTopologiesAreRefusedByWhatIsWrong) {
  const auto refusal = [](void (*change)(Topology&)) { return RefusalOf(Changed(change)); };

  EXPECT_EQ(refusal([](Topology& t) { t.cpus.clear(); }),
            "topology 'free': has 0 CPUs; it must have from 1 to 4096");
  EXPECT_EQ(refusal([](Topology& t) { t.cpus.resize(5'000'000); }),
            "topology 'free': has 5000000 CPUs; it must have from 1 to 4096");
  EXPECT_EQ(refusal([](Topology& t) { t.cpus[0].core = 3; }),
            "topology 'free': core 3 lies in two of the level above");
  EXPECT_EQ(refusal([](Topology& t) { t.cpus[1].capacity = 0; }),
            "topology 'free': CPU 1 has capacity 0; it must be from 1 to 1024");
  EXPECT_EQ(refusal([](Topology& t) { t.node_distances[0][1] = -7; }),
            "topology 'free': node distance -7 from 0 to 1 is outside of 11 to 255");
  EXPECT_EQ(refusal([](Topology& t) { t.node_distances.clear(); }),
            "topology 'free': node_distances must be 2 rows of 2 numbers");
  EXPECT_EQ(refusal([](Topology& t) { t.tick_hz = 0; }),
            "topology 'free': tick_hz = 0 is outside of 1 to 10000");
}

TEST(BadInputTest, NegativeTimesAreRefused) {
  const auto refusal = [](void (*change)(Topology&)) { return RefusalOf(Changed(change)); };
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

  EXPECT_EQ(refusal([](Topology& t) { t.costs.wakeup_ns = -1; }),
            "topology 'free': cost wakeup_ns = -1 is outside of 0 to 1000000000");
  EXPECT_EQ(refusal([](Topology& t) { t.housekeeping_period_ns = -4; }),
            "topology 'free': housekeeping_period_ns = -4 is outside of 0 to 3600000000000");
  EXPECT_EQ(RunOn(testing::FreeTopology("core:1"), OneHog(), SimDuration{kLeast}).error().message,
            "the duration of -9223372036854775808 ns is outside of 1 to 3600000000000");
  EXPECT_EQ(Validate(SchedAttributes{.slice_ns = -1}).error().message,
            "slice_ns -1 is outside of 0 to 4398046511104");
}

TEST(BadInputTest, DisturbancesOfNegativeTimesAreRefused) {
  const Topology topology = testing::FreeTopology("core:2");
  const std::vector<HotplugEvent> hotplug = {{.at_ns = -5, .cpu = 1, .is_online = false}};
  const std::vector<IrqSource> interrupts = {{.cpu = 0, .period_ns = 1'000, .duration_ns = -1}};

  EXPECT_EQ(Validate(hotplug, topology, 1'000).error().message,
            "CPU 1 goes offline at -5 ns: that is before 0 ns");
  EXPECT_EQ(
      Validate(interrupts, topology).error().message,
      "interrupts of -1 ns every 1 us on CPU 0: both must be above 0, and at most 3600 s apart");
}

TEST(BadInputTest, ATaskThatNeverEndsStopsWithTheRun) {
  const Result<RunResult> result = RunOn(testing::FreeTopology("core:1"), OneHog());

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kTimeLimit);
  EXPECT_EQ(result->simulated_ns, 100'000'000);
}

TEST(BadInputTest, ATaskThatSpinsForSomebodyWhoNeverComesStopsWithTheRun) {
  ScriptedTask task = Hog("a");
  task.steps = {{.kind = Kind::kSpin}};
  const Result<RunResult> result =
      RunOn(testing::FreeTopology("core:1"), {.tasks = {task}, .groups = {}, .changes = {}});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kTimeLimit);
}

TEST(BadInputTest, ATaskThatLetsNoTimePassMeetsTheEventLimit) {
  ScriptedTask task = Hog("a");
  task.steps = {{.kind = Kind::kRun, .duration = SimDuration{0}}, {.kind = Kind::kYield}};
  task.repeat_count = 0;
  const Result<RunResult> result =
      RunOn(testing::FreeTopology("core:1"), {.tasks = {task}, .groups = {}, .changes = {}});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kEventLimit);
  EXPECT_EQ(result->event_count, kEventLimit);
}

TEST(BadInputTest, TasksThatAllWaitForOneAnotherAreADeadlock) {
  ScriptedTask first = Hog("a");
  first.steps = {{.kind = Kind::kRun, .duration = kMs}, {.kind = Kind::kBlock}};
  ScriptedTask second = first;
  second.name = "b";
  const Result<RunResult> result = RunOn(testing::FreeTopology("core:2"),
                                         {.tasks = {first, second}, .groups = {}, .changes = {}});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kDeadlock);
}

TEST(BadInputTest, AMillionTasksAreRefusedBeforeAnyIsMade) {
  Script script;
  script.tasks.assign(1'000'000, Hog("hog"));

  EXPECT_EQ(RunOn(testing::FreeTopology("core:1"), script).error().message,
            "the workload has 1000000 tasks (as the script says); a run takes at most 131072");
}

TEST(BadInputTest, TheLongestRunOfTheLongestStepsDoesNotOverflow) {
  Script script = OneHog();
  ScriptedTask sleeper = Hog("sleeper");
  sleeper.steps = {{.kind = Kind::kSleep, .duration = SimDuration::max()}};
  ScriptedTask worker = Hog("worker");
  worker.steps = {{.kind = Kind::kRunFor, .duration = kEndless}};
  script.tasks.push_back(sleeper);
  script.tasks.push_back(worker);
  Topology topology = testing::FreeTopology("core:2");
  topology.tick_hz = 1;
  topology.cpus[1].capacity = 1;
  Scripted workload(script);
  const Result<RunResult> result = sim::Run({.topology = topology,
                                             .policy = BarePolicy("linux-fair", {}),
                                             .duration = SimDuration(kMaxSimulatedNs)},
                                            workload, {});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kTimeLimit);
  EXPECT_EQ(workload.WorkDone()[1], SimDuration{0});
}

}  // namespace
}  // namespace schedlab::sim
