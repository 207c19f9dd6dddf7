#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/change_points.h"
#include "stats/run_series.h"
#include "stats/series_noise.h"

namespace schedlab::stats {

// Two adjacent segments seen from a level: the means of the points' runs, capped on both sides of
// it, and their weights, the inverse variances.
class LocalView {
 public:
  LocalView(const RunSeries& series, PointRange points, double level, const SeriesNoise& noise);

  // Of "both sides of `at` have one level", two-sided, without the point on each side that speaks
  // loudest for a change, where a side has others; the larger of the two. A step so large that the
  // cap hides how large is also tested as it is, against what its own sides vary by. Not corrected
  // for the choice of `at`. Requires: at lies inside the points.
  double PValueOfSplit(std::size_t at) const;

  // The same with every point.
  double PValueOfAllPoints(std::size_t at) const;

  // Where a split leaves the least variation, `least_side` points or more from the ends.
  std::size_t BestSplit(std::size_t least_side) const;

  // The points that hold the first one after the change with at least this chance, if there is one
  // change of level here and every place is as likely beforehand. Contains `at`. Last included.
  PointRange LocateSplit(std::size_t at, double confidence) const;

 private:
  struct Sums {
    double weight = 0;
    double weighted = 0;
    double squares = 0;

    void Add(double value, double value_weight);
    double Variation() const;
  };

  struct Side {
    double mean = 0;
    double weight = 0;
    // By how much this side varies more than the series as a whole, at least 1: a change may bring
    // noise of its own. The point that is furthest out is not counted.
    double noise_factor = 1;
  };

  // Of a step of uncapped means, by Welch's statistic with as few degrees of freedom as the shorter
  // side has; 1 for a step that the cap does not hide.
  double PValueOfWideStep(std::size_t split) const;
  // Of a change in the direction of `sign`, doubled for the choice of the direction.
  double PValueOf(const Side& before, const Side& after, double sign) const;
  Side SideOf(std::size_t begin, std::size_t end) const;
  // The loudest point is taken to say what the second loudest says, and to weigh nothing: without
  // the first, a mean of few points would lean back by more than what makes it suspect.
  Side SideWithoutLoudest(std::size_t begin, std::size_t end, double sign) const;
  // The variation left by a split at every point but the first.
  std::vector<double> VariationOfSplits() const;

  PointRange points_;
  SeriesNoise noise_;
  std::vector<double> means_;
  std::vector<double> uncapped_;
  std::vector<double> weights_;
};

}  // namespace schedlab::stats
