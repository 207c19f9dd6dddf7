#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/history_view.h"
#include "client/json_output.h"

namespace schedlab::client {

ExitCode RunHistory(const GlobalOptions& global, const HistoryOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<SeriesHistory>> histories =
      ReadHistories(coordinator, options.filter, options.metric, options.since);
  if (!histories) {
    return ReportError("cannot show the history of " + options.metric, histories.error());
  }
  switch (global.output) {
    case OutputFormat::kJson:
      Print(HistoryDocument(*histories));
      return ExitCode::kOk;
    case OutputFormat::kCsv:
      Print(RenderCsv(HistoryRecords(*histories)));
      return ExitCode::kOk;
    case OutputFormat::kMarkdown:
      for (const SeriesHistory& history : *histories) {
        Print(fmt::format("### {}\n\n{}\n", EscapeMarkdown(HistoryHeading(history.series)),
                          RenderMarkdown(HistoryGrid(history))));
      }
      return ExitCode::kOk;
    case OutputFormat::kTable:
      break;
  }
  for (std::size_t i = 0; i < histories->size(); ++i) {
    const SeriesHistory& history = (*histories)[i];
    Print(fmt::format("{}{}\n{}", i == 0 ? "" : "\n", HistoryHeading(history.series),
                      RenderText(HistoryGrid(history))));
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
