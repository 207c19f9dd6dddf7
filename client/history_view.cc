#include "client/history_view.h"

#include <fmt/format.h>

#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"
#include "core/catalog.h"

namespace schedlab::client {
namespace {

const StoredChangePoint* ChangeAt(const SeriesHistory& history, const std::string& revision) {
  for (const StoredChangePoint& change : history.change_points) {
    if (change.revision.id == revision) return &change;
  }
  return nullptr;
}

std::string ChangeMark(const SeriesHistory& history, const std::string& revision) {
  const StoredChangePoint* change = ChangeAt(history, revision);
  if (change == nullptr) return "";
  std::string mark = fmt::format("<< {} {}", change->is_regression ? "regression" : "improvement",
                                 FormatRelative(change->relative_change));
  if (change->interval_first.id != change->interval_last.id) {
    mark += fmt::format(" (90 %: {} .. {})", ShortId(change->interval_first.id),
                        ShortId(change->interval_last.id));
  }
  return mark;
}

// A misspelt metric is worth more words than a filter that matches nothing.
std::string WhyNone(const std::string& metric, const std::string& address) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (catalog) {
    const Result<const MetricSpec*> known = catalog->FindMetric(metric);
    if (!known) return known.error().message;
  }
  return fmt::format(
      "no series matches at {}; `schedlab metric list` lists the metrics, `schedlab job list` what "
      "was run",
      address);
}

}  // namespace

Result<std::vector<SeriesHistory>> ReadHistories(Coordinator& coordinator,
                                                 const SeriesChoice& choice,
                                                 const std::string& metric,
                                                 const std::string& since) {
  const Result<std::vector<Series>> found = coordinator.ListSeries({.project = choice.project,
                                                                    .policy = choice.policy,
                                                                    .metric = metric,
                                                                    .topology = choice.topology,
                                                                    .workload = choice.workload});
  if (!found) return Fail(found.error());
  if (found->empty()) return Fail(ErrorCode::kNotFound, WhyNone(metric, coordinator.address()));
  std::vector<SeriesHistory> histories;
  for (const Series& series : *found) {
    Result<SeriesHistory> history = coordinator.GetSeries(series.id, since);
    if (!history) return Fail(history.error());
    histories.push_back(std::move(*history));
  }
  return histories;
}

std::string HistoryHeading(const Series& series) {
  return EscapeControls(fmt::format(
      "{}.{}  on {}  ({}{}{}, {} is better, scenario {})", series.key.workload, series.key.metric,
      series.key.topology, series.key.policy, series.key.variant.empty() ? "" : " with ",
      series.key.variant, BetterWord(series.direction), ShortId(series.key.scenario_digest)));
}

Grid HistoryGrid(const SeriesHistory& history) {
  Grid grid{.columns = {{"revision"},
                        {"date"},
                        {"mean / " + history.series.unit, Alignment::kRight},
                        {"n", Alignment::kRight},
                        {"CV", Alignment::kRight},
                        {"change point"},
                        {"subject"}},
            .rows = {}};
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const RevisionRef& revision = history.points[i].revision;
    const SampleSummary& summary = history.summaries[i];
    grid.rows.push_back({ShortId(revision.id), revision.date, FormatNumber(summary.mean),
                         fmt::format("{}", summary.count), FormatSpread(summary),
                         ChangeMark(history, revision.id), revision.subject});
  }
  return grid;
}

Grid HistoryRecords(const std::vector<SeriesHistory>& histories) {
  Grid grid;
  for (const char* name :
       {"project",        "policy",          "variant",        "topology",
        "workload",       "metric",          "unit",           "direction",
        "engine_version", "scenario_digest", "revision",       "ordinal",
        "date",           "subject",         "count",          "mean",
        "stddev",         "median",          "minimum",        "maximum",
        "change",         "relative_change", "interval_first", "interval_last"}) {
    grid.columns.push_back({name});
  }
  for (const SeriesHistory& history : histories) {
    const SeriesKey& key = history.series.key;
    for (std::size_t i = 0; i < history.points.size(); ++i) {
      const RevisionRef& revision = history.points[i].revision;
      const SampleSummary& summary = history.summaries[i];
      std::vector<std::string> cells = {key.project,
                                        key.policy,
                                        key.variant,
                                        key.topology,
                                        key.workload,
                                        key.metric,
                                        history.series.unit,
                                        std::string(ToString(history.series.direction)),
                                        key.engine_version,
                                        key.scenario_digest,
                                        revision.id,
                                        fmt::format("{}", revision.ordinal),
                                        revision.date,
                                        revision.subject,
                                        fmt::format("{}", summary.count),
                                        ExactNumber(summary.mean),
                                        summary.stddev ? ExactNumber(*summary.stddev) : "",
                                        ExactNumber(summary.median),
                                        ExactNumber(summary.minimum),
                                        ExactNumber(summary.maximum)};
      if (const StoredChangePoint* change = ChangeAt(history, revision.id)) {
        cells.insert(cells.end(), {change->is_regression ? "regression" : "improvement",
                                   ExactNumber(change->relative_change), change->interval_first.id,
                                   change->interval_last.id});
      }
      cells.resize(grid.columns.size());
      grid.rows.push_back(std::move(cells));
    }
  }
  return grid;
}

}  // namespace schedlab::client
