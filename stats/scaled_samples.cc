#include "stats/scaled_samples.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

double MeanMagnitude(const TwoSamples& samples) {
  const auto count = static_cast<double>(samples.baseline.size() + samples.candidate.size());
  double mean = 0;
  for (const double value : samples.baseline) mean += std::abs(value) / count;
  for (const double value : samples.candidate) mean += std::abs(value) / count;
  return mean;
}

bool ArePositive(std::span<const double> samples) {
  return std::all_of(samples.begin(), samples.end(), [](double value) { return value > 0; });
}

}  // namespace

ScaledSamples ScaleSamples(const TwoSamples& samples) {
  SCHEDLAB_CHECK(!samples.baseline.empty() && !samples.candidate.empty());
  ScaledSamples scaled{.scale = Scale::kLogarithmic,
                       .baseline = {samples.baseline.begin(), samples.baseline.end()},
                       .candidate = {samples.candidate.begin(), samples.candidate.end()}};
  if (ArePositive(samples.baseline) && ArePositive(samples.candidate)) {
    for (double& value : scaled.baseline) value = std::log(value);
    for (double& value : scaled.candidate) value = std::log(value);
    return scaled;
  }
  scaled.scale = Scale::kPlain;
  double magnitude = std::abs(Median(samples.baseline));
  if (!(magnitude > 0)) magnitude = MeanMagnitude(samples);
  if (!(magnitude > 0)) return scaled;
  for (double& value : scaled.baseline) value /= magnitude;
  for (double& value : scaled.candidate) value /= magnitude;
  return scaled;
}

Interval BoundsOf(Scale scale, double minimum_effect) {
  if (scale == Scale::kPlain) return {.low = -minimum_effect, .high = minimum_effect};
  return {.low = std::log1p(-minimum_effect), .high = std::log1p(minimum_effect)};
}

double ToRelativeChange(Scale scale, double shift) {
  return scale == Scale::kPlain ? shift : std::expm1(shift);
}

}  // namespace schedlab::stats
