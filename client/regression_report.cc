#include "client/regression_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/lkp_table.h"
#include "client/number_format.h"
#include "client/run_command.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kCountersShown = 8;
constexpr std::size_t kTableCounters = 12;

std::string Named(const RevisionRef& revision) {
  if (revision.subject.empty()) return ShortId(revision.id);
  return fmt::format("{}  \"{}\"", ShortId(revision.id), revision.subject);
}

std::string RenderCell(const AlertCell& cell, bool has_color) {
  const StoredChangePoint& change = cell.change;
  const std::string_view kind = change.is_regression ? "REGRESSION" : "IMPROVEMENT";
  return fmt::format(
      "{}  {}.{}  {}  on {}\n  size        {} -> {} {}  (n={} -> {}, CV {} -> {}; {:.1f} standard "
      "deviations of a run, {})\n",
      Paint(has_color, change.is_regression ? Tone::kBad : Tone::kGood, kind),
      cell.series.key.workload, cell.series.key.metric,
      Paint(has_color, Tone::kStrong, FormatRelative(change.relative_change)),
      cell.series.key.topology, FormatNumber(change.before.mean), FormatNumber(change.after.mean),
      cell.series.unit, change.before.count, change.after.count, FormatSpread(change.before),
      FormatSpread(change.after), change.effect_sd,
      cell.series.direction == Direction::kHigherIsBetter ? "higher is better" : "lower is better");
}

std::string RenderUnchanged(const Alert& alert) {
  std::string text;
  for (const UnchangedCell& cell : alert.unchanged) {
    text += fmt::format("  unchanged   {}.{} on {}: {}  ({} -> {} {}; n={} -> {}, CV {} -> {})\n",
                        cell.series.key.workload, cell.series.key.metric, cell.series.key.topology,
                        FormatRelative(cell.relative_change), FormatNumber(cell.before.mean),
                        FormatNumber(cell.after.mean), cell.series.unit, cell.before.count,
                        cell.after.count, FormatSpread(cell.before), FormatSpread(cell.after));
  }
  return text;
}

std::string RenderInterval(const Alert& alert) {
  std::string text = fmt::format("  first bad   {}\n  last good   {}\n", Named(alert.revision),
                                 Named(alert.previous));
  if (alert.interval_first.id == alert.interval_last.id) {
    return text + "  interval    this commit alone, at 90 %\n";
  }
  return text + fmt::format("  interval    {} .. {}, at 90 %\n", ShortId(alert.interval_first.id),
                            ShortId(alert.interval_last.id));
}

std::string RenderRecovery(const Alert& alert, const AlertCell& cell) {
  const std::optional<RevisionRef>& recovered = alert.recovered ? alert.recovered : cell.recovered;
  if (!recovered) return "  recovered   by no later commit\n";
  return fmt::format("  recovered   {}\n              {} against before the regression\n",
                     Named(*recovered), FormatRelative(cell.recovered_relative_change));
}

std::string RenderCounters(const AlertCell& cell) {
  std::string text;
  for (std::size_t i = 0; i < std::min(cell.counters.size(), kCountersShown); ++i) {
    const CounterChange& counter = cell.counters[i];
    text += fmt::format("  {:<10}  {} {} -> {} {}  {}\n", i == 0 ? "why" : "", counter.metric,
                        FormatNumber(counter.before), FormatNumber(counter.after), counter.unit,
                        FormatRelative(counter.relative_change));
  }
  return text;
}

const ComparisonRow* RowOf(const RevisionComparison& comparison, const AlertCell& cell,
                           const std::string& metric) {
  for (const ComparisonRow& row : comparison.rows) {
    if (row.series.key.scenario_digest == cell.series.key.scenario_digest &&
        row.series.key.variant == cell.series.key.variant && row.series.key.metric == metric) {
      return &row;
    }
  }
  return nullptr;
}

std::string RenderGate(const RevisionComparison& comparison, const AlertCell& cell) {
  const ComparisonRow* row = RowOf(comparison, cell, cell.series.key.metric);
  if (row == nullptr) return "";
  std::string text = fmt::format("  these two   {} -> {} {}: {}", FormatSummary(row->baseline),
                                 FormatSummary(row->candidate), cell.series.unit,
                                 FormatRelative(row->relative_change));
  if (row->interval) {
    text += fmt::format(", 95 % interval {} .. {}", FormatRelative(row->interval->low),
                        FormatRelative(row->interval->high));
  }
  return text + fmt::format(" ({})\n", ToString(row->verdict));
}

}  // namespace

std::vector<const AlertCell*> RegressedCells(const Alert& alert) {
  std::vector<const AlertCell*> cells;
  for (const AlertCell& cell : alert.cells) {
    if (cell.change.is_regression) cells.push_back(&cell);
  }
  return cells;
}

std::string RenderAlert(const Alert& alert, bool has_color) {
  std::string text;
  for (const AlertCell& cell : alert.cells) text += RenderCell(cell, has_color);
  text += RenderUnchanged(alert) + RenderInterval(alert);
  if (!alert.cells.empty()) {
    text += RenderRecovery(alert, alert.cells.front()) + RenderCounters(alert.cells.front());
  }
  return text + fmt::format("  alert       {} ({}, {} {})\n", alert.id.value, ToString(alert.state),
                            alert.project, alert.policy);
}

std::string RenderCellTable(const RevisionComparison& comparison, const AlertCell& cell) {
  const SeriesKey& key = cell.series.key;
  LkpTable table{.axes = {{"executor", std::string(ToString(key.executor))},
                          {"policy", key.policy},
                          {"tbox_group", key.topology},
                          {"testcase", key.workload}},
                 .baseline = {comparison.baseline.id, comparison.baseline.subject},
                 .candidate = {comparison.candidate.id, comparison.candidate.subject},
                 .failures = {},
                 .rows = {}};
  if (!key.variant.empty()) table.axes.insert(table.axes.begin() + 2, {"switches", key.variant});
  const auto add = [&](const ComparisonRow& row) {
    table.rows.push_back(
        {fmt::format("{}.{}", key.workload, row.series.key.metric), row.baseline, row.candidate});
  };
  for (const ComparisonRow& row : comparison.rows) {
    if (row.series.role == MetricRole::kHeadline &&
        row.series.key.scenario_digest == key.scenario_digest &&
        row.series.key.variant == key.variant) {
      add(row);
    }
  }
  for (std::size_t i = 0; i < std::min(cell.counters.size(), kTableCounters); ++i) {
    const ComparisonRow* row = RowOf(comparison, cell, cell.counters[i].metric);
    if (row != nullptr) add(*row);
  }
  return RenderLkp(table);
}

std::string RenderReport(const RegressionReport& report, bool has_color) {
  std::string text = RenderAlert(report.alert, has_color);
  const std::vector<const AlertCell*> cells = RegressedCells(report.alert);
  if (report.comparison && !cells.empty()) {
    text += RenderGate(*report.comparison, *cells.front()) + "\n" +
            RenderCellTable(*report.comparison, *cells.front()) + "\n";
  }
  if (report.bad_run) {
    text += fmt::format("repeat one run of the first bad commit:\n  {}\n",
                        ReproduceCommand(*report.bad_run, report.spec));
  }
  if (report.good_run) {
    text +=
        fmt::format("and of its parent:\n  {}\n", ReproduceCommand(*report.good_run, report.spec));
  }
  return text;
}

}  // namespace schedlab::client
