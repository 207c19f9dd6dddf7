#include "client/read_regression.h"

#include <utility>

namespace schedlab::client {

Result<RegressionReport> ReadRegression(Coordinator& coordinator, const Alert& alert) {
  RegressionReport report{.alert = alert, .comparison = std::nullopt, .spec = std::nullopt};
  if (alert.backfill) {
    Result<Campaign> backfill = coordinator.GetCampaign(kBisectionWords, *alert.backfill);
    if (!backfill) return Fail(backfill.error());
    report.backfill = std::move(*backfill);
  }
  const std::vector<const AlertCell*> cells = RegressedCells(alert);
  if (cells.empty()) return report;
  const AlertCell& cell = *cells.front();
  if (cell.revision_run) {
    Result<Job> job = coordinator.GetJob(cell.revision_run->job);
    if (!job) return Fail(job.error());
    report.spec = std::move(job->spec);
  }
  Result<RevisionComparison> comparison = coordinator.Compare(
      {.project = alert.project,
       .policy = alert.policy,
       .variant = cell.series.key.variant,
       .baseline = alert.previous.id,
       .candidate = alert.revision.id,
       .topology = cell.series.key.topology,
       .workload = cell.series.key.workload,
       .is_paired = report.spec && report.spec->seed_mode == SeedMode::kPaired});
  if (!comparison) return Fail(comparison.error());
  if (report.alert.previous.subject.empty()) {
    report.alert.previous.subject = comparison->baseline.subject;
  }
  report.comparison = std::move(*comparison);
  return report;
}

}  // namespace schedlab::client
