#include "client/comparison_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

std::string RatioText(const std::optional<Judged>& judged) {
  if (!judged || !judged->relative_change) return "n/a";
  return FormatNumber(1 + *judged->relative_change);
}

std::string IntervalText(const std::optional<Judged>& judged) {
  if (!judged || !judged->interval) return "n/a";
  return fmt::format("{} .. {}", FormatRelative(judged->interval->low),
                     FormatRelative(judged->interval->high));
}

std::string VerdictText(const std::optional<Judged>& judged) {
  if (!judged) return "n/a";
  if (judged->verdict != Verdict::kUndecided || judged->more_runs_needed == 0) {
    return std::string(ToString(judged->verdict));
  }
  return fmt::format("undecided (+{} runs)", judged->more_runs_needed);
}

// "0.963 -3.7 % worse": against a further baseline.
std::string FurtherText(const std::optional<Judged>& judged) {
  if (!judged) return "n/a";
  const std::string verdict(ToString(judged->verdict));
  return fmt::format("{} {}{}{}", RatioText(judged), FormatRelative(judged->relative_change),
                     verdict.empty() ? "" : " ", verdict);
}

std::vector<std::string> SideCells(const ComparedSeries& one, const std::string& label,
                                   const ComparedSide& side) {
  const Series& series = one.series;
  std::string name = MetricName(series);
  return {series.key.topology,
          PolicyName(series.key),
          std::move(name),
          series.unit,
          std::string(BetterWord(series.direction)),
          label,
          FormatNumber(side.summary.mean),
          fmt::format("{}", side.summary.count),
          FormatSpread(side.summary)};
}

void AddBaselineRow(Grid& grid, const ComparisonSet& set, const ComparedSeries& one,
                    std::size_t index) {
  const std::optional<ComparedSide>& side = one.baselines[index];
  if (!side) return;
  std::vector<std::string> cells = SideCells(one, set.baselines[index].label, *side);
  cells.insert(cells.end(), {index == 0 ? "1" : "", "", "", index == 0 ? "baseline" : "also"});
  cells.resize(grid.columns.size());
  grid.rows.push_back(std::move(cells));
}

void AddCandidateRow(Grid& grid, const ComparisonSet& set, const ComparedSeries& one,
                     std::size_t index) {
  const std::optional<ComparedSide>& side = one.candidates[index];
  if (!side) return;
  std::vector<std::string> cells = SideCells(one, set.candidates[index].label, *side);
  const std::optional<Judged>& first = side->against.front();
  cells.insert(cells.end(),
               {RatioText(first), FormatRelative(first ? first->relative_change : std::nullopt),
                IntervalText(first), VerdictText(first)});
  for (std::size_t i = 1; i < set.baselines.size(); ++i) {
    cells.push_back(FurtherText(side->against[i]));
  }
  grid.rows.push_back(std::move(cells));
}

// Whether two series differ in nothing that their names show.
bool HasNamesakes(const SeriesList& list) {
  std::set<std::string> names;
  return !std::all_of(list.begin(), list.end(), [&names](const ComparedSeries* one) {
    const SeriesKey& key = one->series.key;
    return names
        .insert(fmt::format("{}\n{}\n{}", key.topology, PolicyName(key), MetricName(one->series)))
        .second;
  });
}

std::string ScenarioName(const SeriesKey& key) {
  return fmt::format("{}/engine {}", ShortId(key.scenario_digest), key.engine_version);
}

std::string Optional(const std::optional<double>& value) {
  return value ? ExactNumber(*value) : "";
}

std::vector<Column> KeyColumns() {
  return {{"project"},  {"policy"},   {"variant"},        {"topology"},
          {"workload"}, {"metric"},   {"unit"},           {"direction"},
          {"role"},     {"executor"}, {"engine_version"}, {"scenario_digest"}};
}

std::vector<std::string> KeyCells(const Series& series) {
  const SeriesKey& key = series.key;
  return {key.project,
          key.policy,
          key.variant,
          key.topology,
          key.workload,
          key.metric,
          series.unit,
          std::string(ToString(series.direction)),
          std::string(ToString(series.role)),
          std::string(ToString(key.executor)),
          key.engine_version,
          key.scenario_digest};
}

void Append(std::vector<std::string>& cells, const SampleSummary& side) {
  cells.insert(cells.end(),
               {fmt::format("{}", side.count), ExactNumber(side.mean), Optional(side.stddev)});
}

template <class OnSide>
void ForEachSide(const ComparisonSet& set, const ComparedSeries& one, OnSide on_side) {
  for (std::size_t i = 0; i < set.baselines.size(); ++i) {
    if (one.baselines[i]) on_side("baseline", set.baselines[i], *one.baselines[i]);
  }
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    if (one.candidates[i]) on_side("candidate", set.candidates[i], *one.candidates[i]);
  }
}

std::string RevisionLine(std::string_view role, const ComparedRevision& revision) {
  return EscapeControls(fmt::format("{:<10} {:<10}  {}  {}", role, revision.label,
                                    ShortId(revision.revision.id), revision.revision.subject)) +
         "\n";
}

}  // namespace

Grid RevisionGrid(const ComparisonSet& set, const SeriesList& list) {
  const auto right = Alignment::kRight;
  Grid grid{.columns = {{"topology"},
                        {"policy"},
                        {"metric"},
                        {"unit"},
                        {"better"},
                        {"revision"},
                        {"mean", right},
                        {"n", right},
                        {"CV", right},
                        {"ratio", right},
                        {"change", right},
                        {"95 % interval", right},
                        {"verdict"}},
            .rows = {}};
  for (std::size_t i = 1; i < set.baselines.size(); ++i) {
    grid.columns.push_back({"vs " + set.baselines[i].label});
  }
  const bool has_namesakes = HasNamesakes(list);
  if (has_namesakes) grid.columns.push_back({"scenario"});
  for (const ComparedSeries* one : list) {
    const std::size_t first = grid.rows.size();
    for (std::size_t i = 0; i < set.baselines.size(); ++i) AddBaselineRow(grid, set, *one, i);
    for (std::size_t i = 0; i < set.candidates.size(); ++i) AddCandidateRow(grid, set, *one, i);
    if (!has_namesakes) continue;
    for (std::size_t i = first; i < grid.rows.size(); ++i) {
      grid.rows[i].resize(grid.columns.size());
      grid.rows[i].back() = ScenarioName(one->series.key);
    }
  }
  return grid;
}

std::string RenderSetHead(const ComparisonSet& set) {
  std::string text;
  for (std::size_t i = 0; i < set.baselines.size(); ++i) {
    text += RevisionLine(i == 0 ? "baseline" : "also", set.baselines[i]);
  }
  for (const ComparedRevision& candidate : set.candidates) {
    text += RevisionLine("candidate", candidate);
  }
  const double rate = set.pairs.empty() ? 0 : set.pairs.front().comparison.false_discovery_rate;
  text += fmt::format(
      "means with the coefficient of variation (CV) of n runs; ratio = revision / baseline, change "
      "= ratio - 1, better = which way is good; false discoveries held at {} % for each pair of "
      "revisions\n",
      FormatNumber(rate * 100));
  if (set.baselines.size() > 1) {
    text += "last columns: ratio, change and verdict against the further baselines\n";
  }
  return text;
}

Grid PairRecords(const ComparisonSet& set) {
  Grid grid{.columns = KeyColumns(), .rows = {}};
  for (const char* name : {"baseline_revision", "candidate_revision", "baseline_count",
                           "baseline_mean", "baseline_stddev", "candidate_count", "candidate_mean",
                           "candidate_stddev", "relative_change", "interval_low", "interval_high",
                           "p_value", "verdict", "more_runs_needed"}) {
    grid.columns.push_back({name});
  }
  for (const ComparedPair& pair : set.pairs) {
    for (const ComparisonRow& row : pair.comparison.rows) {
      std::vector<std::string> cells = KeyCells(row.series);
      cells.insert(cells.end(), {pair.comparison.baseline.id, pair.comparison.candidate.id});
      Append(cells, row.baseline);
      Append(cells, row.candidate);
      cells.insert(
          cells.end(),
          {Optional(row.relative_change), row.interval ? ExactNumber(row.interval->low) : "",
           row.interval ? ExactNumber(row.interval->high) : "", Optional(row.p_value),
           std::string(ToString(row.verdict)), fmt::format("{}", row.more_runs_needed)});
      grid.rows.push_back(std::move(cells));
    }
  }
  return grid;
}

Grid SampleRecords(const ComparisonSet& set) {
  Grid grid{.columns = KeyColumns(), .rows = {}};
  for (const char* name : {"side", "revision", "sample_index", "value"}) {
    grid.columns.push_back({name});
  }
  for (const ComparedSeries& one : set.series) {
    ForEachSide(set, one,
                [&](const char* role, const ComparedRevision& revision, const ComparedSide& side) {
                  for (std::size_t i = 0; i < side.samples.size(); ++i) {
                    std::vector<std::string> cells = KeyCells(one.series);
                    cells.insert(cells.end(), {role, revision.revision.id, fmt::format("{}", i),
                                               ExactNumber(side.samples[i])});
                    grid.rows.push_back(std::move(cells));
                  }
                });
  }
  return grid;
}

std::string RenderSamples(const ComparisonSet& set, const SeriesList& list) {
  Grid grid{.columns = {{"topology"}, {"metric"}, {"unit"}, {"revision"}, {"runs"}}, .rows = {}};
  for (const ComparedSeries* one : list) {
    ForEachSide(
        set, *one,
        [&](const char* /*role*/, const ComparedRevision& revision, const ComparedSide& side) {
          std::string values;
          for (const double value : side.samples) {
            values += (values.empty() ? "" : " ") + FormatNumber(value);
          }
          grid.rows.push_back({one->series.key.topology, MetricName(one->series), one->series.unit,
                               revision.label, values});
        });
  }
  return "every run, in order of repetition\n" + RenderText(grid);
}

}  // namespace schedlab::client
