#include "client/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/job_view.h"
#include "client/read_regression.h"
#include "client/suite_input.h"
#include "core/catalog.h"
#include "core/spec_json.h"
#include "core/suite.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kSuite = "linux-fair-3.12";
constexpr std::chrono::minutes kTakesAtMost{60};
constexpr std::chrono::minutes kAnalysisTakesAtMost{5};
constexpr std::size_t kRequestIdDigits = 40;

Result<std::string> RefuseFile(const std::string& /*path*/) {
  return Fail(ErrorCode::kInvalidArgument, "a suite of the catalog has no files beside it");
}

// A name of the catalog, else a file.
Result<JobSpec> ReadSuite(const Catalog& catalog, const std::string& suite) {
  const auto found = catalog.suites.find(suite);
  if (found != catalog.suites.end()) {
    return ParseSuite(found->second, fmt::format("catalog/suites/{}.toml", suite), &RefuseFile);
  }
  Result<JobSpec> spec = ReadSuiteFile(suite);
  if (spec || spec.error().code != ErrorCode::kNotFound) return spec;
  return Fail(ErrorCode::kNotFound,
              fmt::format("'{}' is neither a suite of the catalog nor a file", suite));
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

Result<std::vector<RegressionReport>> ReadRegressions(Coordinator& coordinator, const Demo& demo) {
  const Result<std::vector<Alert>> alerts = coordinator.ListAlerts(demo.spec.project);
  if (!alerts) return Fail(alerts.error());
  std::vector<RegressionReport> reports;
  for (const Alert& listed : *alerts) {
    if (!BelongsTo(listed, demo)) continue;
    Result<Alert> alert = coordinator.GetAlert(listed.id);
    if (!alert) return Fail(alert.error());
    NameRevisions(*alert, demo);
    Result<RegressionReport> report = ReadRegression(coordinator, *alert);
    if (!report) return Fail(report.error());
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace

Result<Demo> MakeDemo(const std::string& suite) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  Result<JobSpec> spec = ReadSuite(*catalog, suite.empty() ? std::string(kSuite) : suite);
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
  Result<std::vector<RegressionReport>> regressions = ReadRegressions(coordinator, demo);
  if (!regressions) return Fail(regressions.error());
  return DemoOutcome{*analyzed, created->is_new, std::move(*regressions)};
}

}  // namespace schedlab::client
