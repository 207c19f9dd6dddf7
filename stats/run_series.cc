#include "stats/run_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/hodges_lehmann.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

constexpr double kRelativeResolution = 1e-9;

}  // namespace

Result<RunSeries> RunSeries::Make(std::span<const SeriesPoint> series) {
  RunSeries result;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (const Status status = CheckFinite(series[i].samples); !status) {
      return Fail(status.error().code, fmt::format("point {}: {}", i, status.error().message));
    }
    if (!(series[i].weight > 0 && std::isfinite(series[i].weight))) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("point {}: the weight {} is not > 0", i, series[i].weight));
    }
    if (series[i].samples.empty()) continue;
    result.weights_.push_back(series[i].weight);
    result.indices_.push_back(static_cast<std::int64_t>(i));
    result.first_runs_.push_back(result.samples_.size());
    result.samples_.insert(result.samples_.end(), series[i].samples.begin(),
                           series[i].samples.end());
  }
  result.first_runs_.push_back(result.samples_.size());

  result.values_ = result.samples_;
  result.is_logarithmic_ =
      std::all_of(result.samples_.begin(), result.samples_.end(), [](double x) { return x > 0; });
  result.resolution_ = kRelativeResolution;
  if (result.is_logarithmic_) {
    for (double& value : result.values_) value = std::log(value);
  } else {
    double largest = 0;
    for (const double value : result.values_) largest = std::max(largest, std::abs(value));
    result.resolution_ *= largest;
  }
  return result;
}

std::span<const double> RunSeries::Slice(const std::vector<double>& runs, PointRange points) const {
  const std::size_t begin = first_runs_[points.begin];
  return std::span(runs).subspan(begin, first_runs_[points.end] - begin);
}

RunSeries::Change RunSeries::ChangeBetween(PointRange before, PointRange after) const {
  Change change;
  change.shift = HodgesLehmannShift({.baseline = values(before), .candidate = values(after)});
  change.relative = RelativeOf(change.shift, before);
  return change;
}

double RunSeries::RelativeOf(double shift, PointRange before) const {
  if (is_logarithmic_) return std::expm1(shift);
  double magnitude = std::abs(Median(samples(before)));
  // From a level of 0 no relative change exists: it is told as a multiple of the new level.
  if (!(magnitude > 0)) magnitude = std::abs(shift);
  return magnitude > 0 ? shift / magnitude : 0;
}

}  // namespace schedlab::stats
