#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/result.h"

namespace schedlab::stats {

// What is said of a sample of runs before anything is tested. In the unit of the samples.
struct Summary {
  std::int64_t count = 0;
  double mean = 0;
  std::optional<double> stddev = std::nullopt;  // divisor n - 1; absent for one sample
  double median = 0;
  double mad = 0;  // median absolute deviation from the median, not scaled
  double minimum = 0;
  double maximum = 0;

  friend bool operator==(const Summary&, const Summary&) = default;
};

// kInvalidArgument for no samples or one that is not finite.
Result<Summary> Summarize(std::span<const double> samples);

// The quantile at `fraction` in [0, 1], by linear interpolation between order statistics
// (definition 7 of Hyndman and Fan 1996). kInvalidArgument as for Summarize().
Result<double> Quantile(std::span<const double> samples, double fraction);

// Ok if every sample is finite, otherwise kInvalidArgument with the first that is not.
Status CheckFinite(std::span<const double> samples);

// Requires: samples is not empty and finite.
double Median(std::span<const double> samples);

// The median absolute deviation about `center`, times 1.4826: the standard deviation of a normal
// sample, and little moved by outliers. Requires: samples is not empty and finite.
double RobustStddev(std::span<const double> samples, double center);

}  // namespace schedlab::stats
