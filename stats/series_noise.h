#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/run_series.h"

namespace schedlab::stats {

// No run counts for more than so many standard deviations, so that two wild runs make no change.
inline constexpr double kMostSdPerRun = 3;

// The runs of a point are capped about their median where it has so many of them: they agree on it
// then, and it may lie so many standard deviations of a run from its level. Else about the level.
inline constexpr std::size_t kFewestRunsToAgree = 3;
inline constexpr double kMostSdPerPoint = 6;

// The mean of the runs of a point as multiples of `run_stddev` from `level`, capped.
double CappedMean(const RunSeries& series, std::size_t point, double level, double run_stddev);

// By how many runs of weight 1 the mean of a point is as sure.
double RunCountOf(const RunSeries& series, std::size_t point);

// The noise of a series about the levels of its segments. All but `run_stddev` are in multiples of
// the segments' own, see SegmentStddev(), of runs that are capped at kMostSdPerRun.
struct SeriesNoise {
  double run_stddev = 0;          // robust, on the scale of the series; > 0
  double variance_of_runs = 1;    // within a revision
  double variance_of_points = 0;  // that revisions add to that of their runs
  // By how much the variance of a mean of neighbouring points exceeds that of independent ones.
  double inflation = 1;
  double degrees_of_freedom = 1;

  // Of the mean of so many capped runs of a point; never less than normal runs would give.
  double VarianceOfPoint(double run_count) const;
};

// `divisions` holds the first points of all segments but the first, ascending. `inflation` is at
// least `least_inflation`. Requires: the series has points.
SeriesNoise EstimateNoise(const RunSeries& series, std::span<const std::size_t> divisions,
                          double least_inflation);

// The standard deviation of a segment's runs: that of the series, or its own where that is more
// than twice as much. A level may bring noise of its own, and runs that are capped by the noise of
// calmer levels would hide how far it lies from them.
double SegmentStddev(const RunSeries& series, PointRange segment, double run_stddev);

// The segments between divisions, in order.
std::vector<PointRange> SegmentsOf(const RunSeries& series, std::span<const std::size_t> divisions);

// The factor of the variance of a mean under AR(1) with this autocorrelation.
double InflationOf(double autocorrelation);

}  // namespace schedlab::stats
