#include "server/campaigns/bisection_rounds.h"

#include <utility>

namespace schedlab::server {
namespace {

// The runs of one commit, while a round is planned.
struct CommitPlan {
  std::map<std::int32_t, PlannedProbe> probes;  // by repetition
  std::vector<std::int32_t> to_repeat;          // the last is the next
};

using Plans = std::map<std::int64_t, CommitPlan>;

Plans PlansOf(const BisectionRuns& known) {
  Plans plans;
  for (const KnownProbe& one : known.probes) {
    plans[one.probe.commit].probes.emplace(one.probe.repetition, one.probe);
  }
  for (auto one = known.probes.rbegin(); one != known.probes.rend(); ++one) {
    if (!one->is_measured) plans[one->probe.commit].to_repeat.push_back(one->probe.repetition);
  }
  return plans;
}

void Add(const stats::Probe& probe, CommitPlan& plan) {
  auto repetition = static_cast<std::int32_t>(plan.probes.size());
  if (!plan.to_repeat.empty()) {
    repetition = plan.to_repeat.back();
    plan.to_repeat.pop_back();
  }
  plan.probes[repetition] = {
      .commit = probe.commit, .repetition = repetition, .purpose = probe.purpose};
}

std::map<std::int64_t, std::int64_t> MeasuredCounts(const BisectionRuns& known) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const KnownProbe& one : known.probes) {
    if (one.is_measured) ++counts[one.probe.commit];
  }
  return counts;
}

}  // namespace

JobSpec ProbeJob(const JobSpec& probe, const std::string& revision, std::int32_t repetitions) {
  JobSpec job = probe;
  job.policies.front().revisions = revision;
  job.repetitions = repetitions;
  job.metrics.clear();
  job.yardsticks.clear();
  return job;
}

BisectionRound PlanRound(const BisectionRuns& known, const std::vector<stats::Probe>& batch) {
  Plans plans = PlansOf(known);
  for (const stats::Probe& probe : batch) Add(probe, plans[probe.commit]);
  BisectionRound round;
  for (const auto& [commit, plan] : plans) {
    for (const auto& [repetition, probe] : plan.probes) round.probes.push_back(probe);
  }
  std::map<std::int64_t, std::int64_t> measured = MeasuredCounts(known);
  for (const stats::Probe& probe : batch) {
    const auto count = static_cast<std::int32_t>(plans[probe.commit].probes.size());
    const bool is_new = round.repetitions.emplace(probe.commit, count).second;
    if (is_new) round.run_count += count - measured[probe.commit];
  }
  return round;
}

std::vector<JobSpec> JobsOf(const JobSpec& probe, const std::vector<RevisionRef>& revisions,
                            const BisectionRound& round) {
  std::map<std::int32_t, JobSpec> jobs;  // by repetitions
  for (const auto& [commit, repetitions] : round.repetitions) {
    JobSpec job = ProbeJob(probe, revisions[static_cast<std::size_t>(commit)].id, repetitions);
    const auto [known, is_new] = jobs.emplace(repetitions, job);
    if (!is_new) known->second.policies.push_back(std::move(job.policies.front()));
  }
  std::vector<JobSpec> specs;
  for (auto& [repetitions, job] : jobs) specs.push_back(std::move(job));
  return specs;
}

}  // namespace schedlab::server
