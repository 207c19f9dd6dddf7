#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/json_output.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::vector<std::string> Cells(const AlertPrecision& one) {
  std::vector<std::string> cells = {one.project};
  for (const std::int64_t count : {one.open_count, one.acknowledged_count, one.resolved_count,
                                   one.recovered_count, one.dismissed_count, one.withdrawn_count}) {
    cells.push_back(fmt::format("{}", count));
  }
  const std::optional<double> share = one.Share();
  cells.push_back(share ? fmt::format("{:.0f} %", *share * 100) : "n/a");
  return cells;
}

}  // namespace

ExitCode RunAlertPrecision(const GlobalOptions& global, const AlertPrecisionOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<AlertPrecision>> projects =
      coordinator.GetAlertPrecision(options.project, options.day_count);
  if (!projects) return ReportError("cannot tell the precision of alerts", projects.error());
  if (global.output == OutputFormat::kJson) {
    Print(AlertPrecisionDocument(*projects));
    return ExitCode::kOk;
  }
  TextTable table({{"project"},
                   {"open", Alignment::kRight},
                   {"acknowledged", Alignment::kRight},
                   {"resolved", Alignment::kRight},
                   {"recovered", Alignment::kRight},
                   {"dismissed", Alignment::kRight},
                   {"withdrawn", Alignment::kRight},
                   {"confirmed", Alignment::kRight}});
  for (const AlertPrecision& one : *projects) table.AddRow(Cells(one));
  Print(table.Render());
  return ExitCode::kOk;
}

}  // namespace schedlab::client
