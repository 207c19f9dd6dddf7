#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/check.h"

namespace schedlab::stats {
namespace {

// For a normal sample, MAD * 1.4826 estimates the standard deviation: 1 / the normal quantile at
// 3/4.
constexpr double kNormalMadFactor = 1.482602218505602;

double MedianInPlace(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const double below = *std::max_element(samples.begin(), middle);
  return below + (*middle - below) / 2;
}

double MadAbout(std::span<const double> samples, double center) {
  std::vector<double> deviations(samples.begin(), samples.end());
  for (double& value : deviations) value = std::abs(value - center);
  return MedianInPlace(deviations);
}

Status CheckSamples(std::span<const double> samples) {
  if (samples.empty()) return Fail(ErrorCode::kInvalidArgument, "there are no samples");
  return CheckFinite(samples);
}

}  // namespace

Status CheckFinite(std::span<const double> samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(samples[i])) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("sample {} is {}, not a finite number", i, samples[i]));
    }
  }
  return {};
}

double Median(std::span<const double> samples) {
  SCHEDLAB_CHECK(!samples.empty());
  std::vector<double> copy(samples.begin(), samples.end());
  return MedianInPlace(copy);
}

double RobustStddev(std::span<const double> samples, double center) {
  SCHEDLAB_CHECK(!samples.empty());
  return kNormalMadFactor * MadAbout(samples, center);
}

Result<double> Quantile(std::span<const double> samples, double fraction) {
  if (const Status status = CheckSamples(samples); !status) return Fail(status.error());
  if (!(fraction >= 0 && fraction <= 1)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the fraction {} is not between 0 and 1", fraction));
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 == sorted.size()) return sorted.back();
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

Result<Summary> Summarize(std::span<const double> samples) {
  if (const Status status = CheckSamples(samples); !status) return Fail(status.error());
  const auto count = static_cast<double>(samples.size());
  Summary summary;
  summary.count = static_cast<std::int64_t>(samples.size());
  // Updated rather than summed, so that samples near the largest double do not overflow.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    summary.mean += samples[i] / count;
  }
  if (samples.size() > 1) {
    double squares = 0;
    for (const double value : samples) squares += (value - summary.mean) * (value - summary.mean);
    summary.stddev = std::sqrt(squares / (count - 1));
  }
  summary.median = Median(samples);
  summary.mad = MadAbout(samples, summary.median);
  const auto [minimum, maximum] = std::minmax_element(samples.begin(), samples.end());
  summary.minimum = *minimum;
  summary.maximum = *maximum;
  return summary;
}

}  // namespace schedlab::stats
