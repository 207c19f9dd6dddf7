#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/run.h"
#include "sim/workloads/scripted.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {

inline constexpr SimDuration kUs{1'000};
inline constexpr SimDuration kMs{1'000'000};

// What a scripted run came to.
struct ScriptedOutcome {
  RunResult result;
  std::vector<SimDuration> work_done;
  std::vector<SimDuration> longest;
  std::vector<std::int64_t> activations;
  std::vector<Scripted::Refusal> refusals;
};

struct ScriptedSetup {
  std::string shape;
  PolicySpec policy;
  SimDuration duration;
  std::uint64_t seed = 1;
  std::vector<HotplugEvent> hotplug = {};
  std::vector<IrqSource> irq_sources = {};
  CostTable costs = {};
};

inline ScriptedOutcome RunOnce(const ScriptedSetup& setup, const Script& script) {
  Topology topology = testing::FreeTopology(setup.shape);
  topology.costs = setup.costs;
  Scripted workload(script);
  const Result<RunResult> result = Run({.topology = topology,
                                        .policy = setup.policy,
                                        .duration = setup.duration,
                                        .seed = setup.seed,
                                        .hotplug = setup.hotplug,
                                        .irq_sources = setup.irq_sources},
                                       workload, {});
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return {*result, workload.WorkDone(), workload.LongestResponses(), workload.ActivationCounts(),
          workload.refusals()};
}

// Runs twice and expects the same digest.
inline ScriptedOutcome RunScript(const ScriptedSetup& setup, const Script& script) {
  ScriptedOutcome outcome = RunOnce(setup, script);
  EXPECT_EQ(outcome.result, RunOnce(setup, script).result) << "seed " << setup.seed;
  return outcome;
}

// `work` once in each `period`, for ever.
inline ScriptedTask Periodic(std::string name, SimDuration work, SimDuration period) {
  ScriptedTask task;
  task.name = std::move(name);
  task.steps = {{.kind = ScriptStep::Kind::kRun, .duration = work},
                {.kind = ScriptStep::Kind::kSleepUntil, .duration = period}};
  task.repeat_count = 0;
  return task;
}

inline ScriptedTask Hog(std::string name) {
  ScriptedTask task;
  task.name = std::move(name);
  task.steps = {{.kind = ScriptStep::Kind::kRun, .duration = kEndless}};
  return task;
}

inline SchedAttributes Fifo(std::int32_t priority) {
  return {.policy = SchedPolicy::kFifo, .rt_priority = priority};
}

inline SchedAttributes Deadline(SimDuration runtime, SimDuration deadline, SimDuration period) {
  return {.policy = SchedPolicy::kDeadline,
          .runtime_ns = runtime.count(),
          .deadline_ns = deadline.count(),
          .period_ns = period.count()};
}

}  // namespace schedlab::sim
