#include "core/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/engine_version.h"
#include "core/limits.h"
#include "core/spec_json.h"

namespace schedlab {
namespace {

Status CheckFields(const JobSpec& spec) {
  const auto refuse = [](std::string message) {
    return Fail(ErrorCode::kInvalidArgument, std::move(message));
  };
  if (spec.project.empty()) return refuse("the job names no project");
  if (spec.policies.empty()) return refuse("the job names no policy");
  if (spec.topologies.empty()) return refuse("the job names no topology");
  if (spec.workloads.empty()) return refuse("the job names no workload");
  if (spec.repetitions < 1 || spec.repetitions > kMaxRepetitions) {
    return refuse(
        fmt::format("repetitions = {} is outside of 1 to {}", spec.repetitions, kMaxRepetitions));
  }
  std::size_t document_bytes = 0;
  for (const WorkloadSelection& workload : spec.workloads) {
    if (workload.document.size() > kMaxDocumentBytes) {
      return refuse(fmt::format("the document of workload {} has {} bytes; at most {} are allowed",
                                workload.workload, workload.document.size(), kMaxDocumentBytes));
    }
    document_bytes += workload.document.size();
  }
  if (document_bytes > kMaxJobDocumentBytes) {
    return refuse(
        fmt::format("the documents of the job's workloads have {} bytes together; at "
                    "most {} are allowed",
                    document_bytes, kMaxJobDocumentBytes));
  }
  return {};
}

void AddHistory(const PolicyDefinition& policy, ExpandedJob& job) {
  const bool is_known =
      std::any_of(job.histories.begin(), job.histories.end(),
                  [&](const PolicyHistory& history) { return history.policy == policy.name; });
  if (is_known || policy.revisions.empty()) return;
  job.histories.push_back({.policy = policy.name, .revisions = policy.revisions});
}

Status AddPolicies(const Catalog& catalog, const JobSpec& spec, const PolicySelection& selection,
                   ExpandedJob& job) {
  const Result<const PolicyDefinition*> policy = catalog.FindPolicy(selection.policy);
  if (!policy) return Fail(policy.error());
  if ((*policy)->project != spec.project) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("policy '{}' belongs to project '{}', not to the job's project '{}'",
                            (*policy)->name, (*policy)->project, spec.project));
  }
  const Result<std::vector<const Revision*>> revisions =
      ResolveRevisions(**policy, selection.revisions);
  if (!revisions) return Fail(revisions.error());
  AddHistory(**policy, job);
  std::vector<const Revision*> evaluated = *revisions;
  const Revision none;
  if (evaluated.empty()) evaluated.push_back(&none);
  for (const Revision* revision : evaluated) {
    const std::string reference = revision->id.empty()
                                      ? (*policy)->name
                                      : fmt::format("{}@{}", (*policy)->name, revision->id);
    Result<PolicySpec> resolved = ResolvePolicy(catalog, reference, selection.switches);
    if (!resolved) return Fail(resolved.error());
    job.policies.push_back(std::move(*resolved));
    job.revisions.push_back(*revision);
  }
  return {};
}

// Its seeds do not depend on the revisions: a scenario's yardsticks are simulated once.
Status AddYardstick(const Catalog& catalog, const std::string& name, ExpandedJob& job) {
  const Result<const PolicyDefinition*> policy = catalog.FindPolicy(name);
  if (!policy) return Fail(policy.error());
  if (!(*policy)->revisions.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("policy '{}' has a history, so it is no yardstick: name one without, "
                            "such as 'oracle'",
                            name));
  }
  Result<PolicySpec> resolved = ResolvePolicy(catalog, name, {});
  if (!resolved) return Fail(resolved.error());
  job.policies.push_back(std::move(*resolved));
  job.revisions.emplace_back();
  return {};
}

Status CheckDisturbances(const Scenario& scenario) {
  Status valid = Validate(scenario.hotplug, scenario.topology, scenario.duration_ns);
  if (valid) valid = Validate(scenario.irq_sources, scenario.topology);
  if (valid) return {};
  return Fail(valid.error().code,
              fmt::format("workload '{}' on topology '{}': {}", scenario.workload.name,
                          scenario.topology.name, valid.error().message));
}

Status AddScenarios(const Catalog& catalog, const WorkloadSelection& selection,
                    const std::string& topology_name, ExpandedJob& job) {
  const Result<const Topology*> topology = catalog.FindTopology(topology_name);
  if (!topology) return Fail(topology.error());
  Result<WorkloadSpec> workload =
      ResolveWorkload(catalog, selection.workload, selection.parameters, selection.document);
  if (!workload) return Fail(workload.error());
  if (selection.duration_ns < 0 || selection.duration_ns > kMaxSimulatedNs) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("workload '{}': duration_ns = {} is outside of 0 to {}",
                            selection.workload, selection.duration_ns, kMaxSimulatedNs));
  }
  const std::int64_t default_ns = (*catalog.FindWorkload(selection.workload))->duration_ns;
  job.scenarios.push_back(
      {.topology = **topology,
       .workload = std::move(*workload),
       .duration_ns = selection.duration_ns > 0 ? selection.duration_ns : default_ns,
       .hotplug = selection.hotplug,
       .irq_sources = selection.irq_sources});
  if (Status s = CheckDisturbances(job.scenarios.back()); !s) return s;
  job.scenario_digests.push_back(ScenarioDigest(job.scenarios.back()));
  return {};
}

Status AddJudgedMetrics(const Catalog& catalog, const JobSpec& spec, ExpandedJob& job) {
  std::set<std::string> judged;
  for (const WorkloadSelection& selection : spec.workloads) {
    for (const std::string& name : (*catalog.FindWorkload(selection.workload))->headline) {
      judged.insert(name);
    }
  }
  std::set<std::string> wanted;
  for (const std::string& name : spec.metrics) {
    const Result<const MetricSpec*> metric = catalog.FindMetric(name);
    if (!metric) return Fail(metric.error());
    if (judged.count(name) == 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("metric '{}' is not a headline metric of the job's workloads; those "
                              "are {}",
                              name, fmt::join(judged, ", ")));
    }
    wanted.insert(name);
  }
  const std::set<std::string>& chosen = spec.metrics.empty() ? judged : wanted;
  job.judged_metrics.assign(chosen.begin(), chosen.end());
  return {};
}

template <class T>
Status RefuseRepeats(const std::vector<T>& keys, std::string_view kind) {
  std::set<T> seen;
  for (const T& key : keys) {
    if (!seen.insert(key).second) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("the job names a {} twice", kind));
    }
  }
  return {};
}

Status PlanRuns(const JobSpec& spec, ExpandedJob& job) {
  const auto count =
      static_cast<std::int64_t>(job.policies.size() * job.scenarios.size()) * spec.repetitions;
  if (count > kMaxRunsPerJob) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("the job has {} runs ({} policies x {} scenarios x {} repetitions); at "
                            "most {} are allowed: split it",
                            count, job.policies.size(), job.scenarios.size(), spec.repetitions,
                            kMaxRunsPerJob));
  }
  job.runs.reserve(static_cast<std::size_t>(count));
  for (std::size_t p = 0; p < job.policies.size(); ++p) {
    const std::string policy_json = ToJson(job.policies[p]);
    for (std::size_t s = 0; s < job.scenarios.size(); ++s) {
      for (std::int32_t repetition = 0; repetition < spec.repetitions; ++repetition) {
        const std::int64_t seed = SeedOf({.salt = spec.salt,
                                          .mode = spec.seed_mode,
                                          .policy = job.policies[p].name,
                                          .revision = job.policies[p].revision,
                                          .variant = job.policies[p].variant,
                                          .scenario_digest = job.scenario_digests[s],
                                          .repetition = repetition});
        job.runs.push_back({.policy_index = p,
                            .scenario_index = s,
                            .repetition = repetition,
                            .seed = seed,
                            .key = RunKey({.executor = spec.executor,
                                           .engine_version = job.engine_version,
                                           .policy_json = policy_json,
                                           .scenario_digest = job.scenario_digests[s],
                                           .seed = seed})});
      }
    }
  }
  return {};
}

}  // namespace

std::int64_t SeedOf(const SeedSource& source) {
  const std::string_view revision =
      source.mode == SeedMode::kPaired ? std::string_view() : source.revision;
  const std::string_view variant =
      source.mode == SeedMode::kPaired ? std::string_view() : source.variant;
  const std::string hex =
      Sha256Hex(fmt::format("seed\n{}\n{}\n{}\n{}\n{}\n{}", source.salt, source.policy, revision,
                            variant, source.scenario_digest, source.repetition));
  // 15 hex digits are 60 bits: positive in every signed 64-bit type on the way.
  return std::stoll(hex.substr(0, 15), nullptr, 16);
}

RunSpec SpecOf(const ExpandedJob& job, const PlannedRun& run) {
  return {.executor = Executor::kSim,
          .engine_version = job.engine_version,
          .policy = job.policies[run.policy_index],
          .scenario = job.scenarios[run.scenario_index],
          .seed = run.seed};
}

Result<ExpandedJob> Expand(const Catalog& catalog, const JobSpec& spec) {
  if (Status s = CheckFields(spec); !s) return Fail(s.error());
  ExpandedJob job;
  job.engine_version = kEngineVersion;
  job.metrics = catalog.metrics;
  for (const PolicySelection& selection : spec.policies) {
    if (Status s = AddPolicies(catalog, spec, selection, job); !s) return Fail(s.error());
  }
  for (const std::string& yardstick : spec.yardsticks) {
    if (Status s = AddYardstick(catalog, yardstick, job); !s) return Fail(s.error());
  }
  for (const std::string& topology : spec.topologies) {
    for (const WorkloadSelection& selection : spec.workloads) {
      if (Status s = AddScenarios(catalog, selection, topology, job); !s) return Fail(s.error());
    }
  }
  std::vector<std::string> policy_keys;
  for (const PolicySpec& policy : job.policies) policy_keys.push_back(ToJson(policy));
  if (Status s = RefuseRepeats(policy_keys, "policy at one revision"); !s) return Fail(s.error());
  if (Status s = RefuseRepeats(job.scenario_digests, "scenario"); !s) return Fail(s.error());
  if (Status s = AddJudgedMetrics(catalog, spec, job); !s) return Fail(s.error());
  if (Status s = PlanRuns(spec, job); !s) return Fail(s.error());
  return job;
}

}  // namespace schedlab
