#include "sim/simulate.h"

#include <fmt/format.h>

#include <utility>

#include "sim/make_workload.h"
#include "sim/run.h"

namespace schedlab::sim {

Result<RunResult> Simulate(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed,
                           std::stop_token stop, const Watch& watch) {
  const auto cpu_count = static_cast<std::int32_t>(scenario.topology.cpus.size());
  const Result<std::unique_ptr<Workload>> workload =
      MakeWorkload(scenario.workload, seed, cpu_count);
  if (!workload) return Fail(workload.error());
  Result<RunResult> result = Run({.topology = scenario.topology,
                                  .policy = policy,
                                  .duration = SimDuration(scenario.duration_ns),
                                  .seed = seed,
                                  .observer = watch.observer,
                                  .schedstat = watch.schedstat},
                                 **workload, std::move(stop));
  if (!result) return result;
  switch (result->verdict) {
    case RunVerdict::kCompleted:
    case RunVerdict::kTimeLimit:
      return result;
    case RunVerdict::kDeadlock:
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("deadlock: every task that is left of workload '{}' waits for ever",
                              scenario.workload.name));
    case RunVerdict::kEventLimit:
      return Fail(ErrorCode::kResourceExhausted,
                  fmt::format("event limit: stopped after {} events at {} ns of simulated time",
                              result->event_count, result->simulated_ns));
  }
  return result;
}

}  // namespace schedlab::sim
