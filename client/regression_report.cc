#include "client/regression_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "client/bisect_view.h"
#include "client/lkp_table.h"
#include "client/number_format.h"
#include "client/run_command.h"
#include "client/terminal.h"
#include "stats/effect.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kLineWidth = 116;
constexpr std::size_t kIndent = 14;
constexpr std::string_view kRatioUnit = "ratio";

std::string Line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<{}}{}\n", name, kIndent - 2, EscapeControls(text));
}

// `parts` joined by commas, broken before one that would not fit.
std::string Wrapped(std::string_view name, const std::vector<std::string>& parts) {
  std::string text;
  std::string line;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = parts[i] + (i + 1 == parts.size() ? "" : ",");
    if (!line.empty() && kIndent + line.size() + 1 + part.size() > kLineWidth) {
      text += Line(text.empty() ? name : "", std::exchange(line, ""));
    }
    line += (line.empty() ? "" : " ") + part;
  }
  return text + Line(text.empty() ? name : "", line);
}

std::string NameOf(const Series& series) {
  return fmt::format("{}.{}{}{}", series.key.workload, series.key.metric,
                     series.key.variant.empty() ? "" : " with ", series.key.variant);
}

bool IsSameMetric(const Series& a, const Series& b) {
  return a.key.workload == b.key.workload && a.key.metric == b.key.metric &&
         a.key.variant == b.key.variant;
}

std::string FormatEffect(double effect_sd) {
  const double size = std::fabs(effect_sd);
  if (size >= stats::kLargestEffectInSd) {
    return fmt::format("over {:.0f} sd", stats::kLargestEffectInSd);
  }
  return fmt::format("{:.1f} sd", size);
}

std::string FormatRuns(const SampleSummary& before, const SampleSummary& after) {
  return fmt::format("n={} -> {}, CV {} -> {}", before.count, after.count, FormatSpread(before),
                     FormatSpread(after));
}

std::string FormatMeans(const Series& series, const SampleSummary& before,
                        const SampleSummary& after) {
  return fmt::format("{} -> {} {}", FormatNumber(before.mean), FormatNumber(after.mean),
                     series.unit);
}

// Where the metric of `head` got worse, the head's own topology first.
std::vector<std::string> RegressedTopologies(const Alert& alert, const AlertCell& head) {
  std::vector<std::string> topologies;
  for (const AlertCell* cell : RegressedCells(alert)) {
    const std::string& topology = cell->series.key.topology;
    const bool is_told = std::count(topologies.begin(), topologies.end(), topology) > 0;
    if (IsSameMetric(cell->series, head.series) && !is_told) topologies.push_back(topology);
  }
  return topologies;
}

// Whether there is another topology in the job, and on each the head's metric is unchanged.
bool IsUnchangedElsewhere(const RegressionReport& report, const AlertCell& head) {
  if (!report.spec || report.spec->topologies.size() < 2) return false;
  return std::all_of(report.spec->topologies.begin(), report.spec->topologies.end(),
                     [&](const std::string& topology) {
                       return topology == head.series.key.topology ||
                              std::any_of(report.alert.unchanged.begin(),
                                          report.alert.unchanged.end(),
                                          [&](const CellBeside& cell) {
                                            return cell.series.key.topology == topology &&
                                                   IsSameMetric(cell.series, head.series);
                                          });
                     });
}

std::string RenderHead(const RegressionReport& report, const AlertCell& head, bool has_color) {
  const StoredChangePoint& change = head.change;
  const std::vector<std::string> topologies = RegressedTopologies(report.alert, head);
  const bool is_only = topologies.size() == 1 && IsUnchangedElsewhere(report, head);
  return fmt::format("{}  {}  {}  on {}{}\n", Paint(has_color, Tone::kBad, "REGRESSION"),
                     EscapeControls(NameOf(head.series)),
                     Paint(has_color, Tone::kStrong, FormatRelative(change.relative_change)),
                     EscapeControls(fmt::format("{}", fmt::join(topologies, ", "))),
                     is_only ? " only" : "") +
         Line("size",
              fmt::format("{} ({}), effect {}",
                          FormatMeans(head.series, change.before, change.after),
                          head.series.direction == Direction::kHigherIsBetter ? "higher is better"
                                                                              : "lower is better",
                          FormatEffect(change.effect_sd))) +
         Line("", FormatRuns(change.before, change.after) +
                      "  (n = runs, CV = stddev/mean of the runs, sd = that of one run)");
}

std::string RenderCell(std::string_view name, const AlertCell& cell) {
  const StoredChangePoint& change = cell.change;
  return Line(name,
              fmt::format("{}  {}  on {}  ({}; {}; {})", NameOf(cell.series),
                          FormatRelative(change.relative_change), cell.series.key.topology,
                          FormatMeans(cell.series, change.before, change.after),
                          FormatRuns(change.before, change.after), FormatEffect(change.effect_sd)));
}

// What else got worse, then what got better.
std::string RenderFurtherCells(const Alert& alert) {
  std::string worse;
  std::string better;
  const std::vector<const AlertCell*> regressed = RegressedCells(alert);
  for (const AlertCell& cell : alert.cells) {
    if (!cell.change.is_regression) {
      better += RenderCell("better", cell);
    } else if (&cell != regressed.front()) {
      worse += RenderCell("also", cell);
    }
  }
  return worse + better;
}

// Where it could not be told.
std::string RenderUndecided(const Alert& alert) {
  std::vector<std::string> cells;
  for (const CellBeside& cell : alert.undecided) {
    cells.push_back(fmt::format("{} on {} ({}, n={} -> {})", NameOf(cell.series),
                                cell.series.key.topology, FormatRelative(cell.relative_change),
                                cell.before.count, cell.after.count));
  }
  return cells.empty() ? "" : Wrapped("undecided", cells);
}

std::string RenderNotRun(const Alert& alert) {
  std::vector<std::string> cells;
  for (const NotRunCell& cell : alert.not_run) {
    cells.push_back(fmt::format("{} on {} (since {})", NameOf(cell.series),
                                cell.series.key.topology, ShortId(cell.last.id)));
  }
  return cells.empty() ? "" : Wrapped("not run", cells);
}

// What became of it.
std::string RenderHistory(const Alert& alert) {
  std::string text;
  for (const AlertEvent& event : alert.history) {
    text +=
        Line(text.empty() ? "history" : "", fmt::format("{}  {} by {}: {}", FormatTime(event.at),
                                                        ToString(event.to), event.who, event.why));
  }
  return text;
}

// Told one by one: the workload of `head` on other topologies.
bool IsCounterpart(const CellBeside& cell, const AlertCell& head) {
  return cell.series.key.workload == head.series.key.workload &&
         cell.series.key.topology != head.series.key.topology;
}

// The metric of the head first.
std::string RenderUnchanged(const Alert& alert, const AlertCell& head) {
  std::string same;
  std::string others;
  for (const CellBeside& cell : alert.unchanged) {
    if (!IsCounterpart(cell, head)) continue;
    (IsSameMetric(cell.series, head.series) ? same : others) += Line(
        "unchanged", fmt::format("{}  {}  on {}  ({}; {})", NameOf(cell.series),
                                 FormatRelative(cell.relative_change), cell.series.key.topology,
                                 FormatMeans(cell.series, cell.before, cell.after),
                                 FormatRuns(cell.before, cell.after)));
  }
  return same + others;
}

struct Unmoved {
  std::set<std::string> topologies;
  std::set<std::string> run_counts;
};

// What else was judged and did not move: one line for each set of topologies.
std::string RenderNoChange(const Alert& alert, const AlertCell& head) {
  std::map<std::string, Unmoved> by_metric;
  for (const CellBeside& cell : alert.unchanged) {
    if (IsCounterpart(cell, head)) continue;
    Unmoved& unmoved = by_metric[NameOf(cell.series)];
    unmoved.topologies.insert(cell.series.key.topology);
    unmoved.run_counts.insert(fmt::format("n={} -> {}", cell.before.count, cell.after.count));
  }
  std::map<std::set<std::string>, std::vector<std::string>> by_topologies;
  for (const auto& [metric, unmoved] : by_metric) {
    by_topologies[unmoved.topologies].push_back(
        fmt::format("{} ({})", metric, fmt::join(unmoved.run_counts, ", ")));
  }
  std::string text;
  for (auto& [topologies, metrics] : by_topologies) {
    metrics.back() += fmt::format(" on {}", fmt::join(topologies, " and "));
    text += Wrapped("no change", metrics);
  }
  return text;
}

std::string Named(const RevisionRef& revision) {
  if (revision.subject.empty()) return ShortId(revision.id);
  return fmt::format("{}  \"{}\"", ShortId(revision.id), revision.subject);
}

std::string RenderInterval(const Alert& alert) {
  std::string text =
      Line("first bad", Named(alert.revision)) + Line("last good", Named(alert.previous));
  if (alert.interval_first.id == alert.interval_last.id) {
    return text + Line("interval", "this commit alone, at 90 %");
  }
  return text + Line("interval", fmt::format("{} .. {}, at 90 %", ShortId(alert.interval_first.id),
                                             ShortId(alert.interval_last.id)));
}

std::string RenderRecovery(const Alert& alert, const AlertCell& cell) {
  const std::optional<RevisionRef>& recovered = alert.recovered ? alert.recovered : cell.recovered;
  if (!recovered) return Line("recovered", "by no later commit");
  std::string text = Line(
      "recovered", fmt::format("by {}: {} against before the regression", ShortId(recovered->id),
                               FormatRelative(cell.recovered_relative_change)));
  if (!recovered->subject.empty()) text += Line("", fmt::format("\"{}\"", recovered->subject));
  return text;
}

// A ratio moves by percent points.
std::string FormatMove(const CounterChange& counter) {
  if (counter.unit == kRatioUnit) {
    return fmt::format("{} % -> {} %  {:+.1f} points", FormatNumber(counter.before * 100),
                       FormatNumber(counter.after * 100), (counter.after - counter.before) * 100);
  }
  const std::string unit = counter.unit == "count" ? "" : " " + counter.unit;
  return fmt::format("{} -> {}{}  {}", FormatNumber(counter.before), FormatNumber(counter.after),
                     unit,
                     counter.relative_change ? FormatRelative(counter.relative_change) : "from 0");
}

std::string RenderCounters(const AlertCell& cell) {
  if (cell.counters.empty()) return Line("why", "no counter moved beyond its noise");
  std::size_t width = 0;
  for (const CounterChange& counter : cell.counters) {
    width = std::max(width, counter.metric.size());
  }
  std::string text;
  for (const CounterChange& counter : cell.counters) {
    text += Line(text.empty() ? "why" : "",
                 fmt::format("{:<{}}  {}", counter.metric, width, FormatMove(counter)));
  }
  return text + Line("", "(counters: means of the same runs, the strongest effects first)");
}

std::string RenderAlert(const RegressionReport& report, bool has_color) {
  const Alert& alert = report.alert;
  const std::vector<const AlertCell*> cells = RegressedCells(alert);
  std::string text;
  if (!cells.empty()) {
    text += RenderHead(report, *cells.front(), has_color) + RenderFurtherCells(alert) +
            RenderUnchanged(alert, *cells.front()) + RenderNoChange(alert, *cells.front()) +
            RenderUndecided(alert) + RenderNotRun(alert);
  }
  text += RenderInterval(alert);
  if (report.backfill) text += Line("bisection", DescribeBisection(*report.backfill));
  if (!cells.empty()) {
    text += RenderRecovery(alert, *cells.front()) + RenderCounters(*cells.front());
  }
  std::string name = fmt::format("{} ({}, {} {})", alert.id.value, ToString(alert.state),
                                 alert.project, alert.policy);
  if (alert.merged_into) name += fmt::format(", merged into alert {}", alert.merged_into->value);
  return text + Line("alert", name) + RenderHistory(alert);
}

bool IsInScenarioOf(const ComparisonRow& row, const AlertCell& cell) {
  return row.series.key.scenario_digest == cell.series.key.scenario_digest &&
         row.series.key.variant == cell.series.key.variant;
}

const ComparisonRow* RowOf(const RevisionComparison& comparison, const AlertCell& cell,
                           const std::string& metric) {
  for (const ComparisonRow& row : comparison.rows) {
    if (IsInScenarioOf(row, cell) && row.series.key.metric == metric) return &row;
  }
  return nullptr;
}

// What was to be had in the same scenario.
std::string RenderYardstick(const ComparisonRow& row, const Yardstick& yardstick) {
  const std::string text = fmt::format("{} {}", FormatSummary(yardstick.summary), row.series.unit);
  if (row.candidate.mean == 0) return Line(yardstick.policy, text);
  return Line(yardstick.policy,
              fmt::format("{}: {} from the bad one", text,
                          FormatRelative(yardstick.summary.mean / row.candidate.mean - 1)));
}

std::string RenderGate(const RevisionComparison& comparison, const AlertCell& cell) {
  const ComparisonRow* row = RowOf(comparison, cell, cell.series.key.metric);
  if (row == nullptr) return "";
  std::string text =
      fmt::format("{} -> {} {}: {}", FormatSummary(row->baseline), FormatSummary(row->candidate),
                  cell.series.unit, FormatRelative(row->relative_change));
  text = Line("these two", fmt::format("{} ({})", text, ToString(row->verdict)));
  if (row->interval) {
    text += Line("", fmt::format("95 % interval {} .. {}", FormatRelative(row->interval->low),
                                 FormatRelative(row->interval->high)));
  }
  for (const Yardstick& yardstick : row->yardsticks) text += RenderYardstick(*row, yardstick);
  return text;
}

// A command of the simulator repeats a simulated run only.
std::string RenderRepeats(const RegressionReport& report, const AlertCell& cell) {
  if (!report.spec || cell.series.key.executor != Executor::kSim) return "";
  const Alert& alert = report.alert;
  const std::string bad = RepeatCommand(cell, alert.revision.id, cell.revision_run, *report.spec);
  const std::string good = RepeatCommand(cell, alert.previous.id, cell.previous_run, *report.spec);
  return (bad.empty() ? "" : "repeat one run of the first bad commit:\n  " + bad + "\n") +
         (good.empty() ? "" : "and of the one before it:\n  " + good + "\n");
}

}  // namespace

std::vector<const AlertCell*> RegressedCells(const Alert& alert) {
  std::vector<const AlertCell*> cells;
  for (const AlertCell& cell : alert.cells) {
    if (cell.change.is_regression) cells.push_back(&cell);
  }
  return cells;
}

std::string RenderCellTable(const RevisionComparison& comparison, const AlertCell& cell) {
  const SeriesKey& key = cell.series.key;
  LkpTable table{.axes = {{"executor", std::string(ToString(key.executor))},
                          {"policy", key.policy},
                          {"tbox_group", key.topology},
                          {"testcase", key.workload}},
                 .baseline = {comparison.baseline.id, comparison.baseline.subject},
                 .candidates = {{comparison.candidate.id, comparison.candidate.subject}},
                 .failures = {},
                 .rows = {}};
  if (!key.variant.empty()) table.axes.insert(table.axes.begin() + 2, {"switches", key.variant});
  for (const ComparisonRow& row : comparison.rows) {
    if (row.series.role == MetricRole::kHeadline && IsInScenarioOf(row, cell)) {
      table.rows.push_back(LkpRowOf(row));
    }
  }
  for (const CounterChange& counter : cell.counters) {
    const ComparisonRow* row = RowOf(comparison, cell, counter.metric);
    if (row != nullptr) table.rows.push_back(LkpRowOf(*row));
  }
  return EscapeControls(RenderLkp(table));
}

std::string RepeatCommand(const AlertCell& cell, const std::string& revision,
                          const std::optional<ExampleRun>& run, const JobSpec& spec) {
  if (!run) return "";
  Run repeated;
  repeated.policy = cell.series.key.policy;
  repeated.variant = cell.series.key.variant;
  repeated.topology = cell.series.key.topology;
  repeated.workload = cell.series.key.workload;
  repeated.revision = ShortId(revision);
  repeated.seed = run->seed;
  return EscapeControls(ReproduceCommand(repeated, spec, cell.series.key.scenario_digest));
}

std::string RenderReport(const RegressionReport& report, bool has_color) {
  std::string text = RenderAlert(report, has_color);
  const std::vector<const AlertCell*> cells = RegressedCells(report.alert);
  if (cells.empty()) return text;
  if (report.comparison) {
    text += RenderGate(*report.comparison, *cells.front()) + "\n" +
            RenderCellTable(*report.comparison, *cells.front()) + "\n";
  }
  return text + RenderRepeats(report, *cells.front());
}

}  // namespace schedlab::client
