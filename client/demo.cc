#include "client/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/job_view.h"
#include "core/catalog.h"
#include "core/spec_json.h"
#include "core/suite.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kSuite = "linux-fair-3.12";
constexpr std::chrono::minutes kTakesAtMost{60};
constexpr std::chrono::minutes kAnalysisTakesAtMost{5};
constexpr std::size_t kRequestIdDigits = 40;

const Run* FindRun(const std::vector<Run>& runs, const SeriesKey& key,
                   const std::string& revision) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.policy == key.policy && run.variant == key.variant && run.revision == revision &&
           run.topology == key.topology && run.workload == key.workload && run.result;
  });
  return found == runs.end() ? nullptr : &*found;
}

Result<RegressionReport> ReadReport(Coordinator& coordinator, const Alert& alert,
                                    const std::vector<Run>& runs, const JobSpec& spec) {
  RegressionReport report{.alert = alert,
                          .comparison = std::nullopt,
                          .good_run = std::nullopt,
                          .bad_run = std::nullopt,
                          .spec = spec};
  const SeriesKey key = RegressedCells(alert).front()->series.key;
  Result<RevisionComparison> comparison =
      coordinator.Compare({.project = alert.project,
                           .policy = alert.policy,
                           .variant = key.variant,
                           .baseline = alert.previous.id,
                           .candidate = alert.revision.id,
                           .topology = key.topology,
                           .workload = key.workload,
                           .is_paired = spec.seed_mode == SeedMode::kPaired});
  if (!comparison) return Fail(comparison.error());
  report.comparison = std::move(*comparison);
  if (const Run* run = FindRun(runs, key, alert.previous.id)) report.good_run = *run;
  if (const Run* run = FindRun(runs, key, alert.revision.id)) report.bad_run = *run;
  return report;
}

// Subjects that the wire leaves out, from the catalog that was submitted.
void NameRevisions(Alert& alert, const Demo& demo) {
  const auto name = [&demo](RevisionRef& revision) {
    for (const Revision& known : demo.expanded.revisions) {
      if (known.id == revision.id && revision.subject.empty()) revision.subject = known.subject;
    }
  };
  name(alert.revision);
  name(alert.previous);
  if (alert.recovered) name(*alert.recovered);
  for (AlertCell& cell : alert.cells) {
    if (cell.recovered) name(*cell.recovered);
  }
}

Result<std::vector<RegressionReport>> ReadRegressions(Coordinator& coordinator, const Demo& demo,
                                                      JobId job) {
  const Result<std::vector<Alert>> alerts = coordinator.ListAlerts(demo.spec.project);
  if (!alerts) return Fail(alerts.error());
  const Result<std::vector<Run>> runs = coordinator.ListRuns(job);
  if (!runs) return Fail(runs.error());
  std::vector<RegressionReport> reports;
  for (const Alert& listed : *alerts) {
    if (!BelongsTo(listed, demo)) continue;
    Result<Alert> alert = coordinator.GetAlert(listed.id);
    if (!alert) return Fail(alert.error());
    NameRevisions(*alert, demo);
    Result<RegressionReport> report = ReadReport(coordinator, *alert, *runs, demo.spec);
    if (!report) return Fail(report.error());
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace

Result<Demo> MakeDemo() {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const auto suite = catalog->suites.find(std::string(kSuite));
  if (suite == catalog->suites.end()) {
    return Fail(ErrorCode::kNotFound, fmt::format("the catalog has no suite '{}'", kSuite));
  }
  Result<JobSpec> spec = ParseSuite(suite->second, fmt::format("catalog/suites/{}.toml", kSuite));
  if (!spec) return Fail(spec.error());
  Result<ExpandedJob> expanded = Expand(*catalog, *spec);
  if (!expanded) return Fail(expanded.error());
  std::string keys;
  for (const PlannedRun& run : expanded->runs) keys += run.key;
  return Demo{std::move(*spec), std::move(*expanded),
              "demo-" + Sha256Hex(keys).substr(0, kRequestIdDigits)};
}

bool BelongsTo(const Alert& alert, const Demo& demo) {
  const auto& revisions = demo.expanded.revisions;
  const auto& digests = demo.expanded.scenario_digests;
  const bool is_in_range =
      std::any_of(revisions.begin(), revisions.end(),
                  [&](const Revision& known) { return known.id == alert.revision.id; });
  const std::vector<const AlertCell*> cells = RegressedCells(alert);
  return is_in_range && std::any_of(cells.begin(), cells.end(), [&](const AlertCell* cell) {
           const SeriesKey& key = cell->series.key;
           return key.engine_version == demo.expanded.engine_version &&
                  std::find(digests.begin(), digests.end(), key.scenario_digest) != digests.end();
         });
}

Result<DemoOutcome> RunDemo(Coordinator& coordinator, const Demo& demo, const std::stop_token& stop,
                            const Terminal& terminal) {
  const Result<CreatedJob> created = coordinator.CreateJob(demo.request_id, demo.spec);
  if (!created) return Fail(created.error());
  const Result<Job> ended = FollowJob(coordinator, created->job.id, {kTakesAtMost, stop}, terminal);
  if (!ended) return Fail(ended.error());
  if (ended->state != JobState::kSucceeded) {
    return Fail(ErrorCode::kAborted,
                fmt::format("job {} is {}, {} of {} runs failed; the first: {}", ended->id.value,
                            ToString(ended->state), ended->run_counts.failed,
                            ended->run_counts.total(), ended->first_failure));
  }
  const Result<Job> analyzed = coordinator.WaitForAnalysis(ended->id, {kAnalysisTakesAtMost, stop});
  if (!analyzed) return Fail(analyzed.error());
  Result<std::vector<RegressionReport>> regressions =
      ReadRegressions(coordinator, demo, analyzed->id);
  if (!regressions) return Fail(regressions.error());
  return DemoOutcome{*analyzed, created->is_new, std::move(*regressions)};
}

}  // namespace schedlab::client
