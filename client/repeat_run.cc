#include "client/repeat_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "client/run_command.h"
#include "client/workload_file.h"
#include "core/engine_version.h"
#include "core/expansion.h"
#include "sim/simulate.h"

namespace schedlab::client {
namespace {

tl::unexpected<Error> NotPlanned(const Run& run) {
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("the catalog of this program plans no run of {} on {} by {}@{} with seed "
                          "{}: repeat it with the program that the coordinator was built with, or "
                          "see --print",
                          run.workload, run.topology, run.policy, run.revision, run.seed));
}

// The job cut down to what the run is of.
JobSpec SpecOfOne(const JobSpec& spec, const Run& run, const WorkloadSelection& workload) {
  JobSpec one = spec;
  one.policies.clear();
  for (PolicySelection policy : spec.policies) {
    if (policy.policy != run.policy) continue;
    policy.revisions = run.revision;
    // A job of a bisection names its policy once for each commit.
    const bool is_named =
        std::find(one.policies.begin(), one.policies.end(), policy) != one.policies.end();
    if (!is_named) one.policies.push_back(std::move(policy));
  }
  one.topologies = {run.topology};
  one.workloads = {workload};
  one.metrics.clear();
  one.yardsticks.clear();
  one.repetitions = std::max(spec.repetitions, run.repetition + 1);
  return one;
}

}  // namespace

bool RepeatedMetric::IsEqual() const {
  if (!stored || !repeated) return false;
  return std::bit_cast<std::uint64_t>(*stored) == std::bit_cast<std::uint64_t>(*repeated);
}

std::vector<RepeatedMetric> RepeatedRun::Metrics() const {
  std::map<std::string, RepeatedMetric> metrics;
  for (const auto& [name, value] : stored.metrics) metrics[name].stored = value;
  for (const auto& [name, value] : repeated.metrics) metrics[name].repeated = value;
  std::vector<RepeatedMetric> list;
  for (auto& [name, metric] : metrics) {
    metric.name = name;
    list.push_back(metric);
  }
  return list;
}

bool RepeatedRun::IsEqual() const {
  const std::vector<RepeatedMetric> metrics = Metrics();
  return stored.digest == repeated.digest &&
         std::all_of(metrics.begin(), metrics.end(),
                     [](const RepeatedMetric& metric) { return metric.IsEqual(); });
}

Result<RunSpec> SpecOfRun(const Catalog& catalog, const JobSpec& spec, const Run& run,
                          std::string_view scenario_digest, std::string_view series_engine) {
  if (series_engine != kEngineVersion) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the run was simulated by engine version {}, this program has {}: "
                            "repeat it with a program of that version, or see --print",
                            series_engine, kEngineVersion));
  }
  const WorkloadSelection* workload = SelectionOf(run, spec, scenario_digest);
  if (workload == nullptr) return NotPlanned(run);
  const Result<ExpandedJob> expanded = Expand(catalog, SpecOfOne(spec, run, *workload));
  if (!expanded) return Fail(expanded.error());
  for (const PlannedRun& planned : expanded->runs) {
    const PolicySpec& policy = expanded->policies[planned.policy_index];
    if (planned.seed == run.seed && policy.variant == run.variant &&
        expanded->scenario_digests[planned.scenario_index] == scenario_digest) {
      return SpecOf(*expanded, planned);
    }
  }
  return NotPlanned(run);
}

Result<RepeatedRun> RepeatRun(const RunSpec& spec, const Run& run, std::stop_token stop) {
  const Result<WorkloadDocument> document = ReadDocument(
      spec.scenario.workload, fmt::format("the stored document of '{}'", run.workload));
  if (!document) return Fail(document.error());
  Result<RunResult> result =
      sim::Simulate(spec.scenario, spec.policy, static_cast<std::uint64_t>(spec.seed),
                    std::move(stop), {}, *document);
  if (!result) return Fail(result.error());
  return RepeatedRun{.stored = *run.result, .repeated = std::move(*result)};
}

}  // namespace schedlab::client
