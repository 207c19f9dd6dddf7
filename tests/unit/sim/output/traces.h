#pragma once

#include <cstdint>
#include <string>

#include "sim/output/sim_trace.h"
#include "sim/output/trace_recorder.h"
#include "sim/simulate.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {

inline SimTime At(std::int64_t microseconds) { return SimTime(SimDuration(microseconds * 1'000)); }

// Two tasks on two CPUs within 3 ms: "a" wakes "b", which preempts "batch" on the other CPU.
inline SimTrace SmallTrace() {
  SimTrace trace(2);
  trace.Task(0).name = "rq-worker-a";
  trace.Task(1).name = "rq-worker-b";
  trace.Task(1).parent = 0;
  trace.Task(2).name = "batch";
  trace.Append({.at = At(1), .task = kIdleTask, .other = 0, .cpu = 0});
  trace.Append({.at = At(1), .task = kIdleTask, .other = 2, .cpu = 1});
  trace.Append({.at = At(500),
                .task = 1,
                .other = 0,
                .cpu = 0,
                .target_cpu = 1,
                .event = TraceEvent::kWake});
  trace.Append(
      {.at = At(501), .task = 1, .cpu = 0, .target_cpu = 1, .event = TraceEvent::kMigrate});
  trace.Append({.at = At(900), .task = 2, .other = 1, .cpu = 1});
  trace.Append(
      {.at = At(2'000), .task = 0, .other = kIdleTask, .cpu = 0, .reason = LeaveReason::kBlocked});
  trace.Append({.at = At(3'000), .task = 1, .other = 2, .cpu = 1, .reason = LeaveReason::kBlocked});
  trace.Close(At(4'000));
  return trace;
}

struct TracedRun {
  SimTrace trace;
  Schedstat schedstat;
  RunResult result;
};

inline TracedRun RunTraced(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed,
                           std::int64_t record_limit = kDefaultTraceRecords) {
  TracedRun run{
      SimTrace(static_cast<std::int32_t>(scenario.topology.cpus.size()), record_limit), {}, {}};
  TraceRecorder recorder(run.trace);
  run.result =
      Simulate(scenario, policy, seed, {}, {.observer = &recorder, .schedstat = &run.schedstat})
          .value();
  run.trace.Close(SimTime(SimDuration(run.result.simulated_ns)));
  return run;
}

// A short run of many switches on a machine whose kernel costs nothing, or costs what it does.
enum class Costs { kNone, kReal };
inline Scenario ShortHackbench(const std::string& topology, Costs costs) {
  Scenario scenario = ShippedScenario(topology, "hackbench");
  if (costs == Costs::kNone) scenario.topology.costs = CostTable{};
  scenario.duration_ns = 50'000'000;
  return scenario;
}

template <class Writer>
std::string Written(Writer writer) {
  std::string text;
  writer([&text](std::string_view bytes) { text += bytes; });
  return text;
}

}  // namespace schedlab::sim
