#include <fmt/format.h>

#include <algorithm>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/read_regression.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::vector<std::string> Cells(const Alert& alert) {
  std::string what;
  std::string where;
  std::string change;
  if (!alert.cells.empty()) {
    const AlertCell& first = alert.cells.front();
    what = fmt::format("{}.{}", first.series.key.workload, first.series.key.metric);
    where = first.series.key.topology;
    change = FormatRelative(first.change.relative_change);
  }
  const auto worse_count =
      std::count_if(alert.cells.begin(), alert.cells.end(),
                    [](const AlertCell& cell) { return cell.change.is_regression; });
  return {fmt::format("{}", alert.id.value),
          std::string(ToString(alert.state)),
          what,
          change,
          where,
          fmt::format("{}", worse_count),
          ShortId(alert.revision.id),
          alert.recovered ? ShortId(alert.recovered->id) : "",
          alert.revision.subject};
}

}  // namespace

ExitCode RunAlertList(const GlobalOptions& global, const AlertListOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<Alert>> alerts = coordinator.ListAlerts(options.project, options.state);
  if (!alerts) return ReportError("cannot list the alerts", alerts.error());
  if (global.output == OutputFormat::kJson) {
    Print(AlertListDocument(*alerts));
    return ExitCode::kOk;
  }
  TextTable table({{"id", Alignment::kRight},
                   {"state"},
                   {"largest effect"},
                   {"change", Alignment::kRight},
                   {"topology"},
                   {"cells", Alignment::kRight},
                   {"first bad"},
                   {"recovered by"},
                   {"subject"}});
  for (const Alert& alert : *alerts) table.AddRow(Cells(alert));
  Print(table.Render());
  return ExitCode::kOk;
}

ExitCode RunAlertShow(const GlobalOptions& global, const AlertShowOptions& options) {
  Coordinator coordinator(global.server);
  const Result<Alert> alert = coordinator.GetAlert(AlertId{options.id});
  if (!alert) return ReportError(fmt::format("cannot show alert {}", options.id), alert.error());
  if (global.output == OutputFormat::kJson) {
    Print(AlertDocument(*alert));
    return ExitCode::kOk;
  }
  const Result<RegressionReport> report = ReadRegression(coordinator, *alert);
  if (!report) {
    return ReportError(fmt::format("cannot read the results of alert {}", options.id),
                       report.error());
  }
  Print(RenderReport(*report, global.terminal.has_stdout_color));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
