#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "stats/change_points.h"

namespace schedlab::stats {

// A level that moves steadily, or by many small steps, from one index to another.
struct Drift {
  IndexInterval range;            // the last index before it moves, and the first at the new level
  double relative_change = 0;     // over the whole range
  double relative_per_point = 0;  // the mean move from one point of the series to the next
  // Twice the logarithm of the Bayes factor of a drift against the steps that it stands for, by
  // Schwarz's approximation.
  double evidence = 0;
};

struct SeriesAnalysis {
  std::vector<ChangePoint> change_points;  // but those that a drift explains better
  std::vector<Drift> drifts;
};

// The change points of DetectChangePoints(), where neighbours of one direction that a straight move
// between two levels explains better, strongly so (Kass and Raftery 1995), are told as a drift.
Result<SeriesAnalysis> AnalyzeSeries(std::span<const SeriesPoint> series,
                                     const DetectorOptions& options);

}  // namespace schedlab::stats
