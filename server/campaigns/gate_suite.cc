#include "server/campaigns/gate_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/limits.h"

namespace schedlab::server {
namespace {

constexpr std::string_view kOtherNoise = "/itself";

// Every policy at the side's revision.
Result<ExpandedJob> ExpandSide(const Catalog& catalog, const JobSpec& suite, const GateSides& sides,
                               GateSide side) {
  JobSpec spec = SpecOfSide(suite, sides, side);
  const RevisionRef& revision = side == kBaselineSide ? sides.baseline : sides.candidate;
  for (PolicySelection& policy : spec.policies) policy.revisions = revision.id;
  spec.repetitions = kMaxGateRepetitions;
  return Expand(catalog, spec);
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

using ExpandedSides = std::array<ExpandedJob, 2>;

GateArm ArmOf(const Catalog& catalog, const GateSuite& suite, const ExpandedSides& jobs,
              std::size_t policy_index, std::size_t scenario_index) {
  const ExpandedJob& job = jobs[kBaselineSide];
  GateArm arm;
  arm.policy_index = policy_index;
  arm.topology_index = scenario_index / suite.spec.workloads.size();
  arm.workload_index = scenario_index % suite.spec.workloads.size();
  arm.variant = job.policies[policy_index].variant;
  arm.scenario_digest = job.scenario_digests[scenario_index];
  arm.keys = {KeysOf(jobs[kBaselineSide], policy_index, scenario_index),
              KeysOf(jobs[kCandidateSide], policy_index, scenario_index)};
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

JobSpec SpecOfSide(const JobSpec& suite, const GateSides& sides, GateSide side) {
  JobSpec spec = suite;
  const bool is_itself = sides.rule_taken == BaselineRule::kItself;
  if (is_itself && side == kCandidateSide) spec.salt += kOtherNoise;
  return spec;
}

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
  ExpandedSides jobs;
  for (const GateSide side : {kBaselineSide, kCandidateSide}) {
    Result<ExpandedJob> job = ExpandSide(catalog, suite.spec, gate.sides, side);
    if (!job) return Fail(job.error());
    jobs[side] = std::move(*job);
  }
  ExpandedJob& job = jobs[kBaselineSide];
  for (PolicySelection& policy : suite.spec.policies) policy.revisions.clear();
  for (std::size_t policy = 0; policy < suite.spec.policies.size(); ++policy) {
    for (std::size_t scenario = 0; scenario < job.scenarios.size(); ++scenario) {
      suite.arms.push_back(ArmOf(catalog, suite, jobs, policy, scenario));
    }
  }
  if (const Status fits = CheckCellCount(suite); !fits) return Fail(fits.error());
  suite.engine_version = std::move(job.engine_version);
  suite.metrics = std::move(job.metrics);
  return suite;
}

}  // namespace schedlab::server
