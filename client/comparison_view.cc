#include "client/comparison_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

std::string IntervalText(const ComparisonRow& row) {
  if (!row.interval) return "n/a";
  return fmt::format("{} .. {}", FormatRelative(row.interval->low),
                     FormatRelative(row.interval->high));
}

std::string VerdictText(const ComparisonRow& row) {
  if (row.verdict != Verdict::kUndecided || row.more_runs_needed == 0) {
    return std::string(ToString(row.verdict));
  }
  return fmt::format("undecided (+{} runs)", row.more_runs_needed);
}

std::vector<std::string> Cells(const ComparisonRow& row) {
  const auto count = [](const SampleSummary& side) { return fmt::format("{}", side.count); };
  return {row.series.key.topology,
          fmt::format("{}.{}", row.series.key.workload, row.series.key.metric),
          row.series.unit,
          std::string(BetterWord(row.series.direction)),
          FormatNumber(row.baseline.mean),
          count(row.baseline),
          FormatSpread(row.baseline),
          FormatNumber(row.candidate.mean),
          count(row.candidate),
          FormatSpread(row.candidate),
          FormatRelative(row.relative_change),
          IntervalText(row),
          VerdictText(row)};
}

// Every yardstick of any row, by name: a column each.
std::set<std::string> YardstickNames(const std::vector<ComparisonRow>& rows) {
  std::set<std::string> names;
  for (const ComparisonRow& row : rows) {
    for (const Yardstick& yardstick : row.yardsticks) names.insert(yardstick.policy);
  }
  return names;
}

// The value, and where it lies from the candidate.
std::string YardstickText(const ComparisonRow& row, const std::string& name) {
  const auto found = std::find_if(row.yardsticks.begin(), row.yardsticks.end(),
                                  [&name](const Yardstick& one) { return one.policy == name; });
  if (found == row.yardsticks.end()) return "n/a";
  const double mean = found->summary.mean;
  if (row.candidate.mean == 0) return FormatNumber(mean);
  return fmt::format("{} ({})", FormatNumber(mean), FormatRelative(mean / row.candidate.mean - 1));
}

// Whether two rows differ in nothing that their names show.
bool HasNamesakes(const std::vector<ComparisonRow>& rows) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> names;
  return !std::all_of(rows.begin(), rows.end(), [&names](const ComparisonRow& row) {
    const SeriesKey& key = row.series.key;
    return names.emplace(key.topology, key.workload, key.metric).second;
  });
}

// What tells series of the same names apart; the digest is that of parameters and duration.
std::string ScenarioText(const SeriesKey& key) {
  return fmt::format("{}{}{}/{}/engine {}", key.policy, key.variant.empty() ? "" : "/", key.variant,
                     ShortId(key.scenario_digest), key.engine_version);
}

template <class T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Grid ComparisonGrid(const std::vector<ComparisonRow>& rows) {
  const auto right = Alignment::kRight;
  Grid grid{.columns = {{"topology"},
                        {"metric"},
                        {"unit"},
                        {"better"},
                        {"baseline", right},
                        {"n", right},
                        {"CV", right},
                        {"candidate", right},
                        {"n", right},
                        {"CV", right},
                        {"change", right},
                        {"95 % interval", right},
                        {"verdict"}},
            .rows = {}};
  const std::set<std::string> yardsticks = YardstickNames(rows);
  for (const std::string& name : yardsticks) grid.columns.push_back({name, right});
  const bool has_namesakes = HasNamesakes(rows);
  if (has_namesakes) grid.columns.push_back({"scenario"});
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells = Cells(row);
    for (const std::string& name : yardsticks) cells.push_back(YardstickText(row, name));
    if (has_namesakes) cells.push_back(ScenarioText(row.series.key));
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

std::string RenderComparisonHead(const RevisionComparison& comparison, bool has_color) {
  return fmt::format(
      "baseline   {}  {}\ncandidate  {}  {}\nmeans with the coefficient of variation (CV) of n "
      "runs; "
      "change = candidate / baseline - 1, better = which way is good; false discoveries held at {} "
      "%\n{}",
      ShortId(comparison.baseline.id),
      Paint(has_color, Tone::kDim, EscapeControls(comparison.baseline.subject)),
      ShortId(comparison.candidate.id),
      Paint(has_color, Tone::kDim, EscapeControls(comparison.candidate.subject)),
      FormatNumber(comparison.false_discovery_rate * 100),
      YardstickNames(comparison.rows).empty()
          ? ""
          : "last columns: yardsticks, and their distance from the candidate\n");
}

std::string RenderComparison(const RevisionComparison& comparison, bool has_color) {
  return RenderComparisonHead(comparison, has_color) + "\n" +
         RenderText(ComparisonGrid(comparison.rows));
}

RevisionComparison RowsOfJob(const RevisionComparison& comparison, const JobSpec& spec,
                             const std::vector<std::string>& scenario_digests,
                             std::string_view engine_version) {
  RevisionComparison chosen = comparison;
  std::erase_if(chosen.rows, [&](const ComparisonRow& row) {
    const SeriesKey& key = row.series.key;
    const bool has_workload =
        std::any_of(spec.workloads.begin(), spec.workloads.end(),
                    [&](const auto& workload) { return workload.workload == key.workload; });
    return !has_workload || !Contains(spec.topologies, key.topology) ||
           (!spec.metrics.empty() && !Contains(spec.metrics, key.metric)) ||
           !Contains(scenario_digests, key.scenario_digest) || key.engine_version != engine_version;
  });
  return chosen;
}

RevisionComparison HeadlineRows(const RevisionComparison& comparison) {
  RevisionComparison chosen = comparison;
  std::erase_if(chosen.rows,
                [](const ComparisonRow& row) { return row.series.role != MetricRole::kHeadline; });
  return chosen;
}

ExitCode GateOf(const RevisionComparison& comparison) {
  bool has_judged = false;
  bool has_undecided = false;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict == Verdict::kWorse) return ExitCode::kRegression;
    has_judged = has_judged || row.verdict != Verdict::kNone;
    has_undecided = has_undecided || row.verdict == Verdict::kUndecided;
  }
  return has_judged && !has_undecided ? ExitCode::kOk : ExitCode::kInconclusive;
}

std::vector<std::string> RegressionLines(const RevisionComparison& comparison) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict == Verdict::kWorse) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto* first, const auto* second) {
    return std::fabs(first->relative_change.value_or(0)) >
           std::fabs(second->relative_change.value_or(0));
  });
  std::vector<std::string> lines;
  for (const ComparisonRow* row : rows) {
    lines.push_back(fmt::format("REGRESSION  {}.{} on {}: {} (n={}/{}, CV {}/{}), {} against {}",
                                row->series.key.workload, row->series.key.metric,
                                row->series.key.topology, FormatRelative(row->relative_change),
                                row->baseline.count, row->candidate.count,
                                FormatSpread(row->baseline), FormatSpread(row->candidate),
                                ShortId(comparison.candidate.id), ShortId(comparison.baseline.id)));
  }
  return lines;
}

}  // namespace schedlab::client
