#include "server/campaigns/gate_rounds.h"

#include <map>
#include <utility>

namespace schedlab::server {
namespace {

using Workloads = std::vector<std::size_t>;
// Of one policy and one pair of repetitions: which topologies run the same workloads.
using Rectangles = std::map<Workloads, std::vector<std::size_t>>;

struct Group {
  std::size_t policy_index = 0;
  std::array<std::int32_t, 2> repetitions = {};

  friend auto operator<=>(const Group&, const Group&) = default;
};

std::map<Group, Rectangles> Rectangled(const GateSuite& suite, std::span<const ArmTarget> targets) {
  std::map<Group, std::map<std::size_t, Workloads>> by_topology;
  for (const ArmTarget& target : targets) {
    const GateArm& arm = suite.arms[target.arm];
    by_topology[{arm.policy_index, target.repetitions}][arm.topology_index].push_back(
        arm.workload_index);
  }
  std::map<Group, Rectangles> groups;
  for (const auto& [group, topologies] : by_topology) {
    for (const auto& [topology, workloads] : topologies) {
      groups[group][workloads].push_back(topology);
    }
  }
  return groups;
}

void AddSide(JobSpec& job, const PolicySelection& policy, const RevisionRef& revision) {
  job.policies.push_back(policy);
  job.policies.back().revisions = revision.id;
}

// One job where both sides have as many repetitions of the same noise, else one for each side that
// has any.
void AddJobs(const PolicySelection& policy, const GateSides& sides, const Group& group,
             const JobSpec& scenarios, std::vector<JobSpec>& jobs) {
  const std::array<const RevisionRef*, 2> revisions = {&sides.baseline, &sides.candidate};
  const bool is_one_job = group.repetitions[kBaselineSide] == group.repetitions[kCandidateSide] &&
                          sides.rule_taken != BaselineRule::kItself;
  for (const GateSide side : {kBaselineSide, kCandidateSide}) {
    if (group.repetitions[side] == 0) continue;
    if (side == kBaselineSide || !is_one_job) {
      jobs.push_back(SpecOfSide(scenarios, sides, side));
      jobs.back().repetitions = group.repetitions[side];
    }
    AddSide(jobs.back(), policy, *revisions[side]);
  }
}

}  // namespace

std::vector<JobSpec> JobsOf(const GateSuite& suite, const GateSides& sides,
                            std::span<const ArmTarget> targets) {
  std::vector<JobSpec> jobs;
  for (const auto& [group, rectangles] : Rectangled(suite, targets)) {
    for (const auto& [workloads, topologies] : rectangles) {
      JobSpec scenarios = suite.spec;
      scenarios.policies.clear();
      scenarios.topologies.clear();
      scenarios.workloads.clear();
      for (const std::size_t i : topologies) {
        scenarios.topologies.push_back(suite.spec.topologies[i]);
      }
      for (const std::size_t i : workloads) scenarios.workloads.push_back(suite.spec.workloads[i]);
      AddJobs(suite.spec.policies[group.policy_index], sides, group, scenarios, jobs);
    }
  }
  return jobs;
}

}  // namespace schedlab::server
