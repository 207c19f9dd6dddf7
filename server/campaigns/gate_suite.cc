#include "server/campaigns/gate_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/limits.h"

namespace schedlab::server {
namespace {

// The baseline and the candidate of each policy, one after the other.
JobSpec BothSides(const JobSpec& suite, const GateSides& sides) {
  JobSpec spec = suite;
  spec.policies.clear();
  for (const PolicySelection& policy : suite.policies) {
    for (const RevisionRef* side : {&sides.baseline, &sides.candidate}) {
      spec.policies.push_back(policy);
      spec.policies.back().revisions = side->id;
    }
  }
  spec.repetitions = kMaxGateRepetitions;
  return spec;
}

std::vector<std::string> JudgedMetrics(const WorkloadDefinition& workload,
                                       const std::vector<std::string>& judged) {
  std::vector<std::string> metrics;
  for (const std::string& name : workload.headline) {
    if (std::find(judged.begin(), judged.end(), name) != judged.end()) metrics.push_back(name);
  }
  std::sort(metrics.begin(), metrics.end());
  return metrics;
}

// The runs stand by policy, scenario and repetition.
std::vector<std::string> KeysOf(const ExpandedJob& job, std::size_t policy_index,
                                std::size_t scenario_index) {
  const std::size_t first =
      (policy_index * job.scenarios.size() + scenario_index) * kMaxGateRepetitions;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kMaxGateRepetitions; ++i) keys.push_back(job.runs[first + i].key);
  return keys;
}

GateArm ArmOf(const Catalog& catalog, const GateSuite& suite, const ExpandedJob& job,
              std::size_t policy_index, std::size_t scenario_index) {
  GateArm arm;
  arm.policy_index = policy_index;
  arm.topology_index = scenario_index / suite.spec.workloads.size();
  arm.workload_index = scenario_index % suite.spec.workloads.size();
  arm.variant = job.policies[2 * policy_index].variant;
  arm.scenario_digest = job.scenario_digests[scenario_index];
  arm.keys = {KeysOf(job, 2 * policy_index + kBaselineSide, scenario_index),
              KeysOf(job, 2 * policy_index + kCandidateSide, scenario_index)};
  const std::string& workload = suite.spec.workloads[arm.workload_index].workload;
  arm.metrics = JudgedMetrics(**catalog.FindWorkload(workload), job.judged_metrics);
  return arm;
}

Status CheckCellCount(const GateSuite& suite) {
  std::size_t count = 0;
  for (const GateArm& arm : suite.arms) count += arm.metrics.size();
  if (count <= static_cast<std::size_t>(kMaxGateCells)) return {};
  return Fail(ErrorCode::kResourceExhausted,
              fmt::format("the suite has {} headline metrics over all scenarios; a gate judges at "
                          "most {}: split it",
                          count, kMaxGateCells));
}

}  // namespace

Result<std::vector<PolicySelection>> PoliciesWithHistory(const Catalog& catalog,
                                                         const JobSpec& suite) {
  std::vector<PolicySelection> policies;
  for (const PolicySelection& selection : suite.policies) {
    const Result<const PolicyDefinition*> policy = catalog.FindPolicy(selection.policy);
    if (!policy) return Fail(policy.error());
    if (!(*policy)->revisions.empty()) policies.push_back(selection);
  }
  if (!policies.empty()) return policies;
  return Fail(ErrorCode::kInvalidArgument,
              "no policy of the suite has a history, so that there is nothing to compare");
}

Result<GateSuite> ExpandGate(const Catalog& catalog, const GateCampaign& gate) {
  Result<std::vector<PolicySelection>> policies = PoliciesWithHistory(catalog, gate.question.suite);
  if (!policies) return Fail(policies.error());
  GateSuite suite;
  suite.spec = gate.question.suite;
  suite.spec.policies = std::move(*policies);
  suite.spec.yardsticks.clear();
  Result<ExpandedJob> job = Expand(catalog, BothSides(suite.spec, gate.sides));
  if (!job) return Fail(job.error());
  for (PolicySelection& policy : suite.spec.policies) policy.revisions.clear();
  for (std::size_t policy = 0; policy < suite.spec.policies.size(); ++policy) {
    for (std::size_t scenario = 0; scenario < job->scenarios.size(); ++scenario) {
      suite.arms.push_back(ArmOf(catalog, suite, *job, policy, scenario));
    }
  }
  if (const Status fits = CheckCellCount(suite); !fits) return Fail(fits.error());
  suite.engine_version = std::move(job->engine_version);
  suite.metrics = std::move(job->metrics);
  return suite;
}

}  // namespace schedlab::server
