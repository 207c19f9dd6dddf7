#include <fmt/format.h>

#include <algorithm>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/text_table.h"

namespace schedlab::client {
namespace {

std::string ChangeMark(const SeriesHistory& history, const std::string& revision) {
  for (const StoredChangePoint& change : history.change_points) {
    if (change.revision.id != revision) continue;
    return fmt::format("{} {}", change.is_regression ? "<< regression" : "<< improvement",
                       FormatRelative(change.relative_change));
  }
  return "";
}

std::string Render(const SeriesHistory& history) {
  const Series& series = history.series;
  TextTable table({{"revision"},
                   {"date"},
                   {"mean / " + series.unit, Alignment::kRight},
                   {"n", Alignment::kRight},
                   {"CV", Alignment::kRight},
                   {"change point"},
                   {"subject"}});
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const RevisionRef& revision = history.points[i].revision;
    const SampleSummary& summary = history.summaries[i];
    table.AddRow({ShortId(revision.id), revision.date, FormatNumber(summary.mean),
                  fmt::format("{}", summary.count), FormatSpread(summary),
                  ChangeMark(history, revision.id), revision.subject});
  }
  const std::string heading = fmt::format(
      "{}.{}  on {}  ({}{}{}, {}, scenario {})\n", series.key.workload, series.key.metric,
      series.key.topology, series.key.policy, series.key.variant.empty() ? "" : " with ",
      series.key.variant,
      series.direction == Direction::kHigherIsBetter ? "higher is better" : "lower is better",
      ShortId(series.key.scenario_digest));
  return EscapeControls(heading) + table.Render();
}

}  // namespace

ExitCode RunHistory(const GlobalOptions& global, const HistoryOptions& options) {
  const std::string what = "cannot show the history of " + options.metric;
  Coordinator coordinator(global.server);
  const Result<std::vector<Series>> found = coordinator.ListSeries({.project = options.project,
                                                                    .policy = options.policy,
                                                                    .metric = options.metric,
                                                                    .topology = options.topology,
                                                                    .workload = options.workload});
  if (!found) return ReportError(what, found.error());
  if (found->empty()) {
    return ReportError(what, {ErrorCode::kNotFound,
                              fmt::format("no series matches at {}; `schedlab catalog metrics` "
                                          "lists the metrics, `schedlab job list` what was run",
                                          coordinator.address())});
  }
  std::vector<SeriesHistory> histories;
  for (const Series& series : *found) {
    Result<SeriesHistory> history = coordinator.GetSeries(series.id);
    if (!history) return ReportError(what, history.error());
    histories.push_back(std::move(*history));
  }
  if (global.output == OutputFormat::kJson) {
    Print(HistoryDocument(histories));
    return ExitCode::kOk;
  }
  for (std::size_t i = 0; i < histories.size(); ++i) {
    Print((i == 0 ? "" : "\n") + Render(histories[i]));
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
