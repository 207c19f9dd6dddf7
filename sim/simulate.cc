#include "sim/simulate.h"

#include <utility>

#include "sim/make_workload.h"
#include "sim/run.h"

namespace schedlab::sim {

Result<RunResult> Simulate(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed,
                           std::stop_token stop) {
  const auto cpu_count = static_cast<std::int32_t>(scenario.topology.cpus.size());
  const Result<std::unique_ptr<Workload>> workload =
      MakeWorkload(scenario.workload, seed, cpu_count);
  if (!workload) return Fail(workload.error());
  return Run({.topology = scenario.topology,
              .policy = policy,
              .duration = SimDuration(scenario.duration_ns),
              .seed = seed},
             **workload, std::move(stop));
}

}  // namespace schedlab::sim
