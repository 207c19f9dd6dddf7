#include "client/bisect_input.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "client/number_format.h"
#include "client/regression_report.h"
#include "client/settings_input.h"
#include "core/alert_question.h"
#include "core/catalog.h"
#include "core/clock.h"

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

Result<BisectionQuestion> QuestionFromAlert(Coordinator& coordinator,
                                            const BisectStartOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const Result<Alert> alert = coordinator.GetAlert(AlertId{options.alert});
  if (!alert) return Fail(alert.error());
  const std::vector<const AlertCell*> cells = RegressedCells(*alert);
  if (cells.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("nothing got worse in alert {}", options.alert));
  }
  const std::optional<JobId> id = JobOf(*cells.front());
  if (!id) return Fail(ErrorCode::kFailedPrecondition, "no run of either side is stored");
  const Result<Job> job = coordinator.GetJob(*id);
  if (!job) return Fail(job.error());
  Result<BisectionQuestion> question =
      QuestionOf(*catalog, *alert, *cells.front(), job->spec, kSalt);
  if (!question) return question;
  if (!options.good.empty()) question->good = options.good;
  if (!options.bad.empty()) question->bad = options.bad;
  return question;
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
