#include "server/cells_beside.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "server/summaries.h"
#include "stats/comparison.h"

namespace schedlab::server {
namespace {

// An interval that is wider than the minimum effect leaves open whether there was a change.
bool ShowsNoChange(const stats::Comparison& comparison) {
  return comparison.interval && comparison.interval->low >= -comparison.minimum_effect &&
         comparison.interval->high <= comparison.minimum_effect;
}

Result<stats::Comparison> CompareSides(const SeriesPoints& series, const SegmentPair& segments) {
  return stats::Compare({.baseline = SamplesIn(series.points, segments.before),
                         .candidate = SamplesIn(series.points, segments.after),
                         .direction = series.series.direction,
                         .minimum_effect = series.series.minimum_effect,
                         .is_paired = false,
                         .history = std::nullopt});
}

void Append(std::vector<CellBeside>& cells, CellBeside cell) {
  if (cells.size() < kMaxUnchangedPerAlert) cells.push_back(std::move(cell));
}

}  // namespace

CellsBeside CompareBeside(std::span<const SeriesPoints* const> series,
                          const SegmentPair& segments) {
  CellsBeside cells;
  for (const SeriesPoints* one : series) {
    const Result<stats::Comparison> comparison = CompareSides(*one, segments);
    if (!comparison) continue;
    Append(ShowsNoChange(*comparison) ? cells.unchanged : cells.undecided,
           {.series = one->series,
            .relative_change = comparison->relative_change,
            .before = ToSampleSummary(comparison->baseline),
            .after = ToSampleSummary(comparison->candidate)});
  }
  return cells;
}

const AlertCell& CellOfRevision(const Alert& alert) {
  SCHEDLAB_CHECK(!alert.cells.empty());
  const auto cell =
      std::find_if(alert.cells.begin(), alert.cells.end(), [&alert](const AlertCell& one) {
        return one.change.is_regression && one.change.revision == alert.revision;
      });
  return cell == alert.cells.end() ? alert.cells.front() : *cell;
}

void AddCellsBeside(std::span<const SeriesPoints> others,
                    std::span<const StoredChangePoint> change_points, Alert& alert) {
  std::vector<const SeriesPoints*> series;
  series.reserve(others.size());
  for (const SeriesPoints& other : others) series.push_back(&other);
  CellsBeside cells =
      CompareBeside(series, SegmentsAround(change_points, CellOfRevision(alert).change));
  for (CellBeside& cell : cells.unchanged) Append(alert.unchanged, std::move(cell));
  alert.undecided = std::move(cells.undecided);
}

}  // namespace schedlab::server
