#include "server/find_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "server/group_alerts.h"
#include "server/series_segments.h"
#include "server/summaries.h"
#include "stats/change_points.h"
#include "stats/counter_ranking.h"

namespace schedlab::server {
namespace {

constexpr std::string_view kCountUnit = "count";

// The last measured point before `index`. Requires: there is one.
const Point& MeasuredBefore(const SeriesPoints& series, std::int64_t index) {
  auto point = series.points.begin() + index - 1;
  while (point->samples.empty()) --point;
  return *point;
}

// The furthest moves within the limits on a cell's counters.
std::vector<stats::CounterMove> Select(const std::vector<stats::CounterMove>& moves) {
  std::map<std::string_view, std::size_t> count_by_family;
  std::vector<stats::CounterMove> selected;
  for (const stats::CounterMove& move : moves) {
    if (selected.size() == kMaxCountersPerCell) break;
    const std::string_view name = move.name;
    if (++count_by_family[name.substr(0, name.find('_'))] > kMaxCountersPerFamily) continue;
    selected.push_back(move);
  }
  return selected;
}

}  // namespace

std::vector<stats::SeriesPoint> DetectorPointsOf(const SeriesPoints& series) {
  std::vector<stats::SeriesPoint> points;
  points.reserve(series.points.size());
  for (const Point& point : series.points) points.push_back({.samples = point.samples});
  return points;
}

stats::DetectorOptions DetectorOptionsOf(const Series& series) {
  stats::DetectorOptions options;
  if (series.minimum_effect > 0) options.minimum_effect = series.minimum_effect;
  return options;
}

Detection Detect(std::span<const SeriesPoints> series) {
  Detection detection;
  for (const SeriesPoints& one : series) {
    Result<std::vector<stats::ChangePoint>> change_points =
        stats::DetectChangePoints(DetectorPointsOf(one), DetectorOptionsOf(one.series));
    if (change_points) {
      detection.found.push_back(std::move(*change_points));
      continue;
    }
    detection.found.emplace_back();
    const Error& error = change_points.error();
    detection.refused.push_back(
        {error.code, fmt::format("series {}: {}", one.series.id.value, error.message)});
  }
  return detection;
}

StoredChangePoint ToStored(const SeriesPoints& series, const stats::ChangePoint& change) {
  const auto revision = [&series](std::int64_t index) {
    return series.points.at(static_cast<std::size_t>(index)).revision;
  };
  const stats::ChangeKind kind =
      stats::ClassifyChange(series.series.direction, change.relative_change);
  return {.revision = revision(change.index),
          .previous = MeasuredBefore(series, change.index).revision,
          .interval_first = revision(change.interval.first),
          .interval_last = revision(change.interval.last),
          .relative_change = change.relative_change,
          .effect_sd = change.effect_in_sd,
          .p_value = change.p_value,
          .is_regression = kind == stats::ChangeKind::kRegression,
          .before = ToSampleSummary(change.before),
          .after = ToSampleSummary(change.after)};
}

Analysis FindChanges(std::span<const SeriesPoints> series) {
  Detection detection = Detect(series);
  Analysis analysis{.outcome = {}, .refused = std::move(detection.refused)};
  const auto kept = stats::KeepDiscoveries(detection.found, kFalseDiscoveryRate);
  for (std::size_t i = 0; i < series.size(); ++i) {
    SeriesChangePoints stored{.series = series[i].series.id, .change_points = {}};
    for (const stats::ChangePoint& change : kept[i]) {
      stored.change_points.push_back(ToStored(series[i], change));
    }
    analysis.outcome.change_points.push_back(std::move(stored));
  }
  analysis.outcome.alerts = GroupAlerts(series, analysis.outcome.change_points);
  return analysis;
}

Result<std::vector<CounterChange>> CountersOf(const AlertCell& cell,
                                              std::span<const StoredChangePoint> change_points,
                                              std::span<const SeriesPoints> counters) {
  const SegmentPair segments = SegmentsAround(change_points, cell.change);
  std::vector<stats::CounterSamples> samples;
  for (const SeriesPoints& counter : counters) {
    samples.push_back({.name = counter.series.key.metric,
                       .is_count = counter.series.unit == kCountUnit,
                       .baseline = SamplesIn(counter.points, segments.before),
                       .candidate = SamplesIn(counter.points, segments.after)});
  }
  const Result<std::vector<stats::CounterMove>> moves = stats::RankCounters(samples);
  if (!moves) return Fail(moves.error());
  std::vector<CounterChange> changes;
  for (const stats::CounterMove& move : Select(*moves)) {
    const auto counter = std::find_if(
        counters.begin(), counters.end(),
        [&move](const SeriesPoints& one) { return one.series.key.metric == move.name; });
    changes.push_back({.metric = move.name,
                       .unit = counter->series.unit,
                       .before = move.baseline.mean,
                       .after = move.candidate.mean,
                       .relative_change = move.relative_change,
                       .effect_sd = move.effect_in_sd});
  }
  return changes;
}

}  // namespace schedlab::server
