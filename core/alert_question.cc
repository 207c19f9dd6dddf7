#include "core/alert_question.h"

#include <map>
#include <sstream>
#include <utility>

#include "core/expansion.h"
#include "core/limits.h"

namespace schedlab {
namespace {

// "a=1,b=2" as a series names its switches.
std::map<std::string, std::string> SwitchesOf(const std::string& variant) {
  std::map<std::string, std::string> switches;
  std::istringstream stream(variant);
  for (std::string one; std::getline(stream, one, ',');) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) continue;
    switches.emplace(one.substr(0, equals), one.substr(equals + 1));
  }
  return switches;
}

Result<WorkloadSelection> WorkloadOf(const Catalog& catalog, const JobSpec& spec,
                                     const SeriesKey& key) {
  for (const WorkloadSelection& workload : spec.workloads) {
    if (workload.workload != key.workload) continue;
    JobSpec one = spec;
    one.topologies = {key.topology};
    one.workloads = {workload};
    one.metrics.clear();
    const Result<ExpandedJob> job = Expand(catalog, one);
    if (!job) return Fail(job.error());
    if (job->scenario_digests.front() == key.scenario_digest) return workload;
  }
  return Fail(ErrorCode::kFailedPrecondition,
              "no workload of the alert's job makes its scenario by this program's catalog: name "
              "the parameters by options");
}

}  // namespace

std::optional<JobId> JobOf(const AlertCell& cell) {
  const std::optional<ExampleRun>& run = cell.revision_run ? cell.revision_run : cell.previous_run;
  if (!run) return std::nullopt;
  return run->job;
}

Result<BisectionQuestion> QuestionOf(const Catalog& catalog, const Alert& alert,
                                     const AlertCell& cell, const JobSpec& job,
                                     const std::string& salt) {
  const SeriesKey& key = cell.series.key;
  Result<WorkloadSelection> workload = WorkloadOf(catalog, job, key);
  if (!workload) return Fail(workload.error());
  BisectionQuestion question;
  question.probe.project = key.project;
  question.probe.suite = "bisection";
  question.probe.executor = key.executor;
  question.probe.policies = {
      {.policy = key.policy, .revisions = {}, .switches = SwitchesOf(key.variant)}};
  question.probe.topologies = {key.topology};
  question.probe.workloads = {std::move(*workload)};
  question.probe.repetitions = 1;
  question.probe.salt = salt;
  question.metric = key.metric;
  question.good = alert.interval_first.id + "~";
  question.bad = alert.interval_last.id;
  question.worker_count = kDefaultBisectionWorkers;
  question.direction =
      cell.change.relative_change < 0 ? ChangeDirection::kDecrease : ChangeDirection::kIncrease;
  return question;
}

}  // namespace schedlab
