#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "stats/change_points.h"
#include "stats/interval.h"

namespace schedlab::stats {

// A range [begin, end) of the measured points of a series.
struct PointRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

// The measured points of a series, their runs laid end to end: as measured, and on the scale on
// which they are judged (logarithms if all are positive).
class RunSeries {
 public:
  // kInvalidArgument for a value that is not finite, or a weight that is not > 0.
  static Result<RunSeries> Make(std::span<const SeriesPoint> series);

  std::size_t point_count() const { return indices_.size(); }
  std::int64_t index_of(std::size_t point) const { return indices_[point]; }
  std::span<const double> samples(PointRange points) const { return Slice(samples_, points); }
  std::span<const double> values(PointRange points) const { return Slice(values_, points); }
  std::span<const double> values(std::size_t point) const { return values({point, point + 1}); }
  double weight(std::size_t point) const { return weights_[point]; }

  // The smallest noise that is told from rounding, on the scale.
  double resolution() const { return resolution_; }

  // The relative change after / before - 1 of two adjacent ranges, and its size on the scale.
  struct Change {
    double relative = 0;
    double shift = 0;
  };
  Change ChangeBetween(PointRange before, PointRange after) const;
  // A shift on the scale as a ratio, less 1, to the level of points before it.
  double RelativeOf(double shift, PointRange before) const;

 private:
  std::span<const double> Slice(const std::vector<double>& runs, PointRange points) const;

  bool is_logarithmic_ = false;
  double resolution_ = 0;
  std::vector<std::int64_t> indices_;
  std::vector<double> weights_;          // parallel to them
  std::vector<std::size_t> first_runs_;  // one more than points
  std::vector<double> samples_;
  std::vector<double> values_;
};

}  // namespace schedlab::stats
