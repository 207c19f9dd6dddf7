#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// The share of false discoveries among what is reported, over all series of one analysis and over
// all rows of one comparison.
inline constexpr double kFalseDiscoveryRate = 0.05;
// The counters that are kept for a cell.
inline constexpr std::size_t kMaxCountersPerCell = 8;

struct Analysis {
  AnalysisOutcome outcome;
  std::vector<Error> refused;  // series that could not be analysed, and why
};

// Searches headline series for change points, with the false-discovery rate held over all of them,
// and makes alerts of the regressions: those of one project, policy and variant whose commit
// intervals have a revision in common are one alert. A pure function. Counters are left empty; see
// CountersOf().
Analysis FindChanges(std::span<const SeriesPoints> series);

// The counters of a cell's scenario that moved beyond their noise between the segments around its
// change, the furthest first. `change_points` are those of the cell's series.
Result<std::vector<CounterChange>> CountersOf(const AlertCell& cell,
                                              std::span<const StoredChangePoint> change_points,
                                              std::span<const SeriesPoints> counters);

}  // namespace schedlab::server
