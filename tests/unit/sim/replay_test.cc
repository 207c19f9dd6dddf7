#include "sim/workloads/replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/make_workload.h"
#include "sim/random_stream.h"
#include "sim/run.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

constexpr SimDuration kLongEnough{600'000'000'000};
constexpr std::int64_t kMs = 1'000'000;

struct Replayed {
  RunResult result;
  std::vector<SimDuration> work_done;
  std::vector<SimDuration> work_wanted;
};

Parameters ReplayParameters(const std::map<std::string, std::int64_t>& given = {}) {
  return Parameters::Resolve({.name = "replay", .parameters = given, .document = {}},
                             Replay::kRules)
      .value();
}

Replayed RunReplay(const WorkloadTrace& trace, const Topology& topology, const PolicySpec& policy,
                   const std::map<std::string, std::int64_t>& parameters = {}) {
  Replay workload(ReplayParameters(parameters), trace);
  const Result<RunResult> result = sim::Run(
      {.topology = topology, .policy = policy, .duration = kLongEnough, .seed = 1}, workload, {});
  EXPECT_TRUE(result.has_value()) << result.error().message;
  Replayed replayed{result.value(), workload.WorkDone(), {}};
  for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
    replayed.work_wanted.push_back(workload.WorkOf(i));
  }
  return replayed;
}

double ElapsedMs(const Replayed& replayed) {
  return replayed.result.metrics.at("elapsed_sec") * 1e3;
}

WorkloadTrace TraceOf(std::vector<std::vector<TraceStep>> tasks) {
  WorkloadTrace trace{.span_ns = 10 * kMs, .cpu_count = 1, .tasks = {}};
  for (std::vector<TraceStep>& steps : tasks) {
    trace.tasks.push_back(
        {.name = fmt::format("t{}", trace.tasks.size()), .steps = std::move(steps)});
  }
  EXPECT_TRUE(Validate(trace).has_value());
  return trace;
}

// A trace as some machine might have made it: what happens, happens in one order, so that every
// wait follows its wakeup.
WorkloadTrace RandomTrace(std::uint64_t seed) {
  RandomStream draw(seed, "trace");
  WorkloadTrace trace{.span_ns = kMs, .cpu_count = 4, .tasks = {}};
  const auto task_count = static_cast<std::size_t>(2 + draw.Below(12));
  for (std::size_t i = 0; i < task_count; ++i) {
    const bool is_real_time = draw.Below(8) == 0;
    const auto priority =
        static_cast<std::int32_t>(is_real_time ? draw.Below(100) - 1 : 100 + draw.Below(40));
    trace.tasks.push_back({.name = fmt::format("t{}", i), .priority = priority, .steps = {}});
  }
  const auto any = [&]() -> std::size_t {
    return static_cast<std::size_t>(draw.Below(static_cast<std::int64_t>(task_count)));
  };
  for (std::int64_t left = 20 + draw.Below(400); left > 0; --left) {
    const std::size_t actor = any();
    const std::size_t target = any();
    std::vector<TraceStep>& steps = trace.tasks[actor].steps;
    switch (draw.Below(4)) {
      case 0:
        steps.push_back(TraceStep::Run(draw.Below(200'000)));
        break;
      case 1:
        steps.push_back(TraceStep::Sleep(draw.Below(100'000)));
        break;
      default:
        if (target == actor) break;
        steps.push_back(TraceStep::Wake(static_cast<std::int64_t>(target)));
        trace.tasks[target].steps.push_back(TraceStep::Wait());
        break;
    }
  }
  return trace;
}

TEST(ReplayTest, EveryReplayOfARandomTraceEndsWithAllWorkDone) {
  std::vector<std::string> policies = {"linux-fair@v3.11", "linux-fair@23f0d2093c78"};
  for (const PolicyDefinition& policy : ShippedCatalog().policies) policies.push_back(policy.name);
  const std::vector<Topology> machines = {testing::FreeTopology("core:1"),
                                          testing::FreeTopology("package:2 core:2 pu:2"),
                                          *ShippedCatalog().FindTopology("kvm-16x1").value(),
                                          *ShippedCatalog().FindTopology("snb-ep-2s").value()};
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const WorkloadTrace trace = RandomTrace(seed);
    ASSERT_TRUE(Validate(trace).has_value()) << "seed " << seed;
    const Topology& machine = machines[seed % machines.size()];
    const PolicySpec policy = ShippedPolicy(policies[seed % policies.size()]);

    const Replayed first = RunReplay(trace, machine, policy);
    const Replayed second = RunReplay(trace, machine, policy);

    EXPECT_EQ(first.result.verdict, RunVerdict::kCompleted) << "seed " << seed;
    EXPECT_EQ(first.work_done, first.work_wanted) << "seed " << seed;
    EXPECT_EQ(first.result, second.result) << "seed " << seed;
  }
}

TEST(ReplayTest, AWakeupComesAtTheSamePointOfTheWakersWork) {
  const WorkloadTrace trace =
      TraceOf({{TraceStep::Run(3 * kMs), TraceStep::Wake(1), TraceStep::Run(4 * kMs)},
               {TraceStep::Wait(), TraceStep::Run(5 * kMs)}});

  const Replayed two_cpus =
      RunReplay(trace, testing::FreeTopology("core:2"), ShippedPolicy("linux-fair"));
  const Replayed one_cpu =
      RunReplay(trace, testing::FreeTopology("core:1"), ShippedPolicy("linux-fair"));

  EXPECT_DOUBLE_EQ(ElapsedMs(two_cpus), 8);
  EXPECT_DOUBLE_EQ(ElapsedMs(one_cpu), 12);
}

TEST(ReplayTest, AWakeupBeforeItsWaitIsRemembered) {
  const WorkloadTrace trace =
      TraceOf({{TraceStep::Run(1 * kMs), TraceStep::Wake(1), TraceStep::Wake(1)},
               {TraceStep::Run(5 * kMs), TraceStep::Wait(), TraceStep::Run(1 * kMs),
                TraceStep::Sleep(2 * kMs), TraceStep::Wait(), TraceStep::Run(1 * kMs)}});

  const Replayed replayed =
      RunReplay(trace, testing::FreeTopology("core:2"), ShippedPolicy("linux-fair"));

  EXPECT_DOUBLE_EQ(ElapsedMs(replayed), 9);
}

TEST(ReplayTest, AWakeupDoesNotCutASleepShort) {
  const WorkloadTrace trace =
      TraceOf({{TraceStep::Run(1 * kMs), TraceStep::Wake(1)},
               {TraceStep::Run(kMs / 2), TraceStep::Sleep(9 * kMs), TraceStep::Wait()}});

  const Replayed replayed =
      RunReplay(trace, testing::FreeTopology("core:2"), ShippedPolicy("linux-fair"));

  EXPECT_DOUBLE_EQ(ElapsedMs(replayed), 9.5);
}

TEST(ReplayTest, AFirstSleepIsTheTimeOfTheStart) {
  const WorkloadTrace trace = TraceOf({{TraceStep::Sleep(7 * kMs), TraceStep::Run(2 * kMs)}});

  const Replayed replayed =
      RunReplay(trace, testing::FreeTopology("core:1"), ShippedPolicy("linux-fair"));

  EXPECT_DOUBLE_EQ(ElapsedMs(replayed), 9);
  EXPECT_DOUBLE_EQ(replayed.result.metrics.at("replay_slowdown"), 0.9);
  EXPECT_DOUBLE_EQ(replayed.result.metrics.at("replayed_work_ratio"), 1);
}

TEST(ReplayTest, WorkAndSleepsCanBeScaled) {
  const WorkloadTrace trace =
      TraceOf({{TraceStep::Run(2 * kMs), TraceStep::Sleep(4 * kMs), TraceStep::Run(2 * kMs)}});

  const Replayed replayed =
      RunReplay(trace, testing::FreeTopology("core:1"), ShippedPolicy("linux-fair"),
                {{"work_scale_permille", 1'500}, {"sleep_scale_permille", 500}});

  EXPECT_DOUBLE_EQ(ElapsedMs(replayed), 8);
}

TEST(ReplayTest, AReplayThatIsCutOffSaysHowFarItCame) {
  const WorkloadTrace trace = TraceOf({{TraceStep::Run(8 * kMs)}});
  Replay workload(ReplayParameters(), trace);
  const Topology topology = testing::FreeTopology("core:1");
  const PolicySpec policy = ShippedPolicy("linux-fair");

  const Result<RunResult> result = sim::Run(
      {.topology = topology, .policy = policy, .duration = SimDuration(2 * kMs), .seed = 1},
      workload, {});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->verdict, RunVerdict::kTimeLimit);
  EXPECT_DOUBLE_EQ(result->metrics.at("replayed_work_ratio"), 0.25);
  EXPECT_FALSE(result->metrics.contains("elapsed_sec"));
}

TEST(ReplayTest, TasksWithoutStepsEndTheReplayAtOnce) {
  const Replayed replayed =
      RunReplay(TraceOf({{}, {}}), testing::FreeTopology("core:1"), ShippedPolicy("linux-fair"));

  EXPECT_EQ(replayed.result.verdict, RunVerdict::kCompleted);
  EXPECT_EQ(replayed.result.simulated_ns, 0);
}

TEST(ReplayTest, PrioritiesBecomeAttributes) {
  EXPECT_EQ(AttributesOfPriority(120).nice, 0);
  EXPECT_EQ(AttributesOfPriority(100).nice, -20);
  EXPECT_EQ(AttributesOfPriority(139).nice, 19);
  EXPECT_EQ(AttributesOfPriority(139).policy, SchedPolicy::kNormal);
  EXPECT_EQ(AttributesOfPriority(98).policy, SchedPolicy::kFifo);
  EXPECT_EQ(AttributesOfPriority(98).rt_priority, 1);
  EXPECT_EQ(AttributesOfPriority(0).rt_priority, 99);
  EXPECT_EQ(AttributesOfPriority(-1).rt_priority, 99);
  for (std::int32_t priority = -1; priority <= 140; ++priority) {
    EXPECT_TRUE(Validate(AttributesOfPriority(priority)).has_value()) << priority;
  }
}

TEST(ReplayTest, AReplayWithoutATraceIsRefused) {
  const auto workload = MakeWorkload({.name = "replay", .parameters = {}, .document = {}}, 1, 4);

  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().message, "workload replay needs a recorded trace");
}

TEST(ReplayTest, EachParameterRunsAtItsBounds) {
  const WorkloadTrace trace = RandomTrace(7);
  for (const ParameterRule& rule : Replay::kRules) {
    for (const std::int64_t value : {rule.minimum, rule.maximum}) {
      const Replayed replayed =
          RunReplay(trace, testing::FreeTopology("core:4"), ShippedPolicy("linux-fair"),
                    {{std::string(rule.name), value}});
      EXPECT_EQ(replayed.work_done, replayed.work_wanted) << rule.name << " " << value;
    }
  }
}

TEST(ReplayTest, EveryMetricOfAReplayIsDescribed) {
  const Replayed replayed =
      RunReplay(RandomTrace(7), testing::FreeTopology("core:4"), ShippedPolicy("linux-fair"));

  for (const auto& entry : replayed.result.metrics) {
    EXPECT_TRUE(ShippedCatalog().FindMetric(entry.first).has_value()) << entry.first;
  }
}

}  // namespace
}  // namespace schedlab::sim
