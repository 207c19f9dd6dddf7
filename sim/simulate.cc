#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sim/make_workload.h"
#include "sim/run.h"
#include "sim/workloads/task_script.h"

namespace schedlab::sim {
namespace {

// A script may stop its threads before the scenario does.
SimDuration DurationOf(const Scenario& scenario, const WorkloadDocument& document) {
  const TaskScript* const script = std::get_if<TaskScript>(&document);
  if (script == nullptr || script->duration_ns == 0) return SimDuration(scenario.duration_ns);
  return SimDuration(std::min(scenario.duration_ns, script->duration_ns));
}

// A document is the user's own, as a wrong one is; without it the workload itself is at fault.
Error DeadlockOf(const WorkloadSpec& workload, std::string_view waits) {
  return {workload.document.empty() ? ErrorCode::kFailedPrecondition : ErrorCode::kInvalidArgument,
          fmt::format("deadlock: every task that is left of workload '{}' waits for ever: {}",
                      workload.name, waits)};
}

}  // namespace

Result<RunResult> Simulate(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed,
                           std::stop_token stop, const Watch& watch,
                           const WorkloadDocument& document) {
  const auto cpu_count = static_cast<std::int32_t>(scenario.topology.cpus.size());
  const Result<std::unique_ptr<Workload>> workload =
      MakeWorkload(scenario.workload, seed, cpu_count, document);
  if (!workload) return Fail(workload.error());
  std::string deadlock;
  Result<RunResult> result = Run({.topology = scenario.topology,
                                  .policy = policy,
                                  .duration = DurationOf(scenario, document),
                                  .seed = seed,
                                  .observer = watch.observer,
                                  .schedstat = watch.schedstat,
                                  .deadlock = &deadlock,
                                  .event_limit = watch.event_limit,
                                  .hotplug = scenario.hotplug,
                                  .irq_sources = scenario.irq_sources},
                                 **workload, std::move(stop));
  if (!result) return result;
  const auto* const script = dynamic_cast<const TaskScriptWorkload*>(workload->get());
  if (script != nullptr && watch.script_threads != nullptr) {
    *watch.script_threads = script->Reports();
  }
  switch (result->verdict) {
    case RunVerdict::kCompleted:
    case RunVerdict::kTimeLimit:
      return result;
    case RunVerdict::kDeadlock:
      return Fail(DeadlockOf(scenario.workload, deadlock));
    case RunVerdict::kEventLimit:
      return Fail(ErrorCode::kResourceExhausted,
                  fmt::format("event limit: stopped after {} events at {} ns of simulated time",
                              result->event_count, result->simulated_ns));
  }
  return result;
}

}  // namespace schedlab::sim
