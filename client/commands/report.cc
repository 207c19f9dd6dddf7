#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/lkp_mail.h"
#include "client/machine_words.h"
#include "client/read_regression.h"
#include "core/catalog.h"

namespace schedlab::client {
namespace {

Result<LkpMailFacts> ReadFacts(Coordinator& coordinator, const AlertCell& head) {
  LkpMailFacts facts{.coordinator = coordinator.address(),
                     .machine = {},
                     .newest = std::nullopt,
                     .newest_runs = std::nullopt};
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (catalog) {
    const Result<const Topology*> topology = catalog->FindTopology(head.series.key.topology);
    if (topology) facts.machine = MachineInWords(**topology);
  }
  const Result<SeriesHistory> history = coordinator.GetSeries(head.series.id);
  if (!history) return Fail(history.error());
  if (!history->points.empty()) {
    facts.newest = history->points.back().revision;
    facts.newest_runs = history->summaries.back();
  }
  return facts;
}

}  // namespace

ExitCode RunReport(const GlobalOptions& global, const ReportOptions& options) {
  const std::string what = fmt::format("cannot report alert {}", options.id);
  Coordinator coordinator(global.server);
  const Result<Alert> alert = coordinator.GetAlert(AlertId{options.id});
  if (!alert) return ReportError(what, alert.error());
  const Result<RegressionReport> report = ReadRegression(coordinator, *alert);
  if (!report) return ReportError(what, report.error());
  if (options.format == ReportFormat::kText) {
    Print(RenderReport(*report, global.terminal.has_stdout_color));
    return ExitCode::kOk;
  }
  const std::vector<const AlertCell*> cells = RegressedCells(report->alert);
  if (cells.empty()) {
    return ReportError(what, {ErrorCode::kFailedPrecondition,
                              "nothing got worse, so that there is nothing to mail"});
  }
  const Result<LkpMailFacts> facts = ReadFacts(coordinator, *cells.front());
  if (!facts) return ReportError(what, facts.error());
  Print(RenderLkpMail(*report, *facts));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
