#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "server/store/analysis_store.h"
#include "stats/change_points.h"

namespace schedlab::server {

// The share of false discoveries among what is reported, over all series of one analysis and over
// all rows of one comparison.
inline constexpr double kFalseDiscoveryRate = 0.05;
// The counters that are kept for a cell, and how many of them may be of one family (see
// CountersOf()): a balancer's dozen would leave no room for what else moved.
inline constexpr std::size_t kMaxCountersPerCell = 10;
inline constexpr std::size_t kMaxCountersPerFamily = 1;

// What each series says alone, before the false-discovery rate is held over all of them.
struct Detection {
  std::vector<std::vector<stats::ChangePoint>> found;  // parallel to the series
  std::vector<Error> refused;                          // series that could not be analysed, and why
};

// The one way in which stored series are searched.
std::vector<stats::SeriesPoint> DetectorPointsOf(const SeriesPoints& series);
stats::DetectorOptions DetectorOptionsOf(const Series& series);
Detection Detect(std::span<const SeriesPoints> series);

// A change point of `series` by its revisions.
StoredChangePoint ToStored(const SeriesPoints& series, const stats::ChangePoint& change);

struct Analysis {
  AnalysisOutcome outcome;
  std::vector<Error> refused;  // series that could not be analysed, and why
};

// Searches headline series for change points, with the false-discovery rate held over all of them,
// and makes alerts of the regressions: those of one project and policy whose commit
// intervals have a revision in common are one alert. A revision that was not measured is a point
// without samples: it is never a change point, but may lie in the interval of one. A pure function.
// Counters are left empty; see CountersOf().
Analysis FindChanges(std::span<const SeriesPoints> series);

// The counters of a cell's scenario that moved beyond their noise between the segments around its
// change, the furthest first, within the limits above. A family is what names that begin with the
// same word have in common, up to the first '_'. `change_points` are those of the cell's series.
Result<std::vector<CounterChange>> CountersOf(const AlertCell& cell,
                                              std::span<const StoredChangePoint> change_points,
                                              std::span<const SeriesPoints> counters);

}  // namespace schedlab::server
