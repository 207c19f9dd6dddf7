#include "client/bisect_input.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "client/number_format.h"
#include "client/regression_report.h"
#include "client/settings_input.h"
#include "core/catalog.h"
#include "core/clock.h"
#include "core/expansion.h"

namespace schedlab::client {
namespace {

// Runs of their own: those that raised an alert were chosen for being extreme.
constexpr const char* kSalt = "bisection";

Result<std::string> ProjectOf(const BisectStartOptions& options) {
  if (!options.project.empty()) return options.project;
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const Result<const PolicyDefinition*> policy = catalog->FindPolicy(options.policy);
  if (!policy) return Fail(policy.error());
  return (*policy)->project;
}

Result<std::int64_t> DurationOf(const BisectStartOptions& options) {
  if (options.duration.empty()) return 0;
  const Result<std::chrono::nanoseconds> duration = ParseDuration(options.duration);
  if (!duration) return Fail(duration.error());
  return duration->count();
}

Result<JobSpec> ProbeFromOptions(const BisectStartOptions& options) {
  Result<std::string> project = ProjectOf(options);
  if (!project) return Fail(project.error());
  Result<std::map<std::string, std::int64_t>> parameters = ParseParameters(options.parameters);
  if (!parameters) return Fail(parameters.error());
  Result<std::map<std::string, std::string>> switches = ParseSwitches(options.switches);
  if (!switches) return Fail(switches.error());
  const Result<std::int64_t> duration_ns = DurationOf(options);
  if (!duration_ns) return Fail(duration_ns.error());
  JobSpec probe;
  probe.project = std::move(*project);
  probe.policies = {{.policy = options.policy, .revisions = {}, .switches = std::move(*switches)}};
  probe.topologies = {options.topology};
  probe.workloads = {{.workload = options.workload,
                      .parameters = std::move(*parameters),
                      .duration_ns = *duration_ns}};
  return probe;
}

Result<BisectionQuestion> QuestionFromOptions(const BisectStartOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"--policy", &options.policy}, std::pair{"--topology", &options.topology},
        std::pair{"--workload", &options.workload}, std::pair{"--metric", &options.metric},
        std::pair{"--good", &options.good}, std::pair{"--bad", &options.bad}}) {
    if (!value->empty()) continue;
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} or --from-alert is needed", name));
  }
  Result<JobSpec> probe = ProbeFromOptions(options);
  if (!probe) return Fail(probe.error());
  return BisectionQuestion{.probe = std::move(*probe),
                           .metric = options.metric,
                           .good = options.good,
                           .bad = options.bad};
}

// "a=1,b=2" as it names a series.
Result<std::map<std::string, std::string>> SwitchesOf(const std::string& variant) {
  std::vector<std::string> texts;
  std::istringstream stream(variant);
  for (std::string one; std::getline(stream, one, ',');) texts.push_back(one);
  return ParseSwitches(texts);
}

// The workload of the job that makes the cell's scenario.
Result<WorkloadSelection> WorkloadOf(const JobSpec& spec, const SeriesKey& key) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  for (const WorkloadSelection& workload : spec.workloads) {
    if (workload.workload != key.workload) continue;
    JobSpec one = spec;
    one.topologies = {key.topology};
    one.workloads = {workload};
    one.metrics.clear();
    const Result<ExpandedJob> job = Expand(*catalog, one);
    if (!job) return Fail(job.error());
    if (job->scenario_digests.front() == key.scenario_digest) return workload;
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("no workload of the alert's job makes its scenario by this program's "
                          "catalog: name the parameters by options"));
}

Result<JobSpec> JobOf(Coordinator& coordinator, const AlertCell& cell) {
  const std::optional<ExampleRun>& run = cell.revision_run ? cell.revision_run : cell.previous_run;
  if (!run) return Fail(ErrorCode::kFailedPrecondition, "no run of either side is stored");
  Result<Job> job = coordinator.GetJob(run->job);
  if (!job) return Fail(job.error());
  return std::move(job->spec);
}

Result<JobSpec> ProbeFromCell(Coordinator& coordinator, const AlertCell& cell) {
  const SeriesKey& key = cell.series.key;
  const Result<JobSpec> spec = JobOf(coordinator, cell);
  if (!spec) return Fail(spec.error());
  Result<WorkloadSelection> workload = WorkloadOf(*spec, key);
  if (!workload) return Fail(workload.error());
  Result<std::map<std::string, std::string>> switches = SwitchesOf(key.variant);
  if (!switches) return Fail(switches.error());
  JobSpec probe;
  probe.project = key.project;
  probe.executor = key.executor;
  probe.policies = {{.policy = key.policy, .revisions = {}, .switches = std::move(*switches)}};
  probe.topologies = {key.topology};
  probe.workloads = {std::move(*workload)};
  return probe;
}

Result<BisectionQuestion> QuestionFromAlert(Coordinator& coordinator,
                                            const BisectStartOptions& options) {
  const Result<Alert> alert = coordinator.GetAlert(AlertId{options.alert});
  if (!alert) return Fail(alert.error());
  const std::vector<const AlertCell*> cells = RegressedCells(*alert);
  if (cells.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("nothing got worse in alert {}", options.alert));
  }
  const AlertCell& cell = *cells.front();
  Result<JobSpec> probe = ProbeFromCell(coordinator, cell);
  if (!probe) return Fail(probe.error());
  return BisectionQuestion{
      .probe = std::move(*probe),
      .metric = cell.series.key.metric,
      .good = options.good.empty() ? alert->interval_first.id + "~" : options.good,
      .bad = options.bad.empty() ? alert->interval_last.id : options.bad,
      .direction = cell.change.relative_change < 0 ? ChangeDirection::kDecrease
                                                   : ChangeDirection::kIncrease};
}

}  // namespace

Result<BisectionQuestion> ReadBisection(Coordinator& coordinator,
                                        const BisectStartOptions& options) {
  Result<BisectionQuestion> question =
      options.alert > 0 ? QuestionFromAlert(coordinator, options) : QuestionFromOptions(options);
  if (!question) return question;
  JobSpec& probe = question->probe;
  probe.suite = "bisection";
  probe.repetitions = 1;
  probe.salt = kSalt;
  if (options.is_new_attempt) {
    probe.salt += fmt::format("/attempt {}", SystemClock().Now().time_since_epoch().count());
  }
  question->worker_count = options.worker_count;
  question->minimum_effect = options.minimum_effect;
  question->skipped = options.skipped;
  if (options.direction) question->direction = *options.direction;
  return question;
}

}  // namespace schedlab::client
