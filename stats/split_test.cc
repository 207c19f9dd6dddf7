#include "stats/split_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "stats/distributions.h"

namespace schedlab::stats {

LocalView::LocalView(const RunSeries& series, PointRange points, double level,
                     const SeriesNoise& noise)
    : points_(points), noise_(noise) {
  for (std::size_t point = points.begin; point < points.end; ++point) {
    const std::span<const double> runs = series.values(point);
    double uncapped_sum = 0;
    for (const double value : runs) uncapped_sum += (value - level) / noise.run_stddev;
    means_.push_back(CappedMean(series, point, level, noise.run_stddev));
    uncapped_.push_back(uncapped_sum / static_cast<double>(runs.size()));
    weights_.push_back(1 / noise.VarianceOfPoint(RunCountOf(series, point)));
  }
}

void LocalView::Sums::Add(double value, double value_weight) {
  weight += value_weight;
  weighted += value_weight * value;
  squares += value_weight * value * value;
}

double LocalView::Sums::Variation() const {
  return weight > 0 ? std::max(0.0, squares - weighted * weighted / weight) : 0;
}

LocalView::Side LocalView::SideOf(std::size_t begin, std::size_t end) const {
  Sums sums;
  for (std::size_t i = begin; i < end; ++i) sums.Add(means_[i], weights_[i]);
  Side side{.mean = sums.weighted / sums.weight, .weight = sums.weight};
  double squares = 0;
  double largest = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double square = weights_[i] * (means_[i] - side.mean) * (means_[i] - side.mean);
    squares += square;
    largest = std::max(largest, square);
  }
  if (end - begin > 2) {
    side.noise_factor = std::max(1.0, (squares - largest) / static_cast<double>(end - begin - 2));
  }
  return side;
}

LocalView::Side LocalView::SideWithoutLoudest(std::size_t begin, std::size_t end,
                                              double sign) const {
  Side side = SideOf(begin, end);
  if (end - begin < 2) return side;
  const auto is_louder = [&](std::size_t a, std::size_t b) {
    return sign * means_[a] > sign * means_[b];
  };
  std::size_t loudest = begin;
  std::size_t second = begin + 1;
  if (is_louder(second, loudest)) std::swap(loudest, second);
  for (std::size_t i = begin + 2; i < end; ++i) {
    if (is_louder(i, loudest)) {
      second = std::exchange(loudest, i);
    } else if (is_louder(i, second)) {
      second = i;
    }
  }
  side.mean -= weights_[loudest] * (means_[loudest] - means_[second]) / side.weight;
  side.weight -= weights_[loudest];
  return side;
}

double LocalView::PValueOf(const Side& before, const Side& after, double sign) const {
  const double variance =
      noise_.inflation * (before.noise_factor / before.weight + after.noise_factor / after.weight);
  const double t = sign * (after.mean - before.mean) / std::sqrt(variance);
  return std::min(1.0, 2 * StudentUpperTail(t, noise_.degrees_of_freedom));
}

double LocalView::PValueOfSplit(std::size_t at) const {
  SCHEDLAB_CHECK(at > points_.begin && at < points_.end);
  const std::size_t split = at - points_.begin;
  const Side before = SideOf(0, split);
  const Side after = SideOf(split, means_.size());
  const double sign = after.mean < before.mean ? -1 : 1;
  const double capped =
      std::max(PValueOf(SideWithoutLoudest(0, split, -sign), after, sign),
               PValueOf(before, SideWithoutLoudest(split, means_.size(), sign), sign));
  return std::min(capped, PValueOfWideStep(split));
}

double LocalView::PValueOfWideStep(std::size_t split) const {
  const auto side_of = [this](std::size_t begin, std::size_t end) {
    Sums sums;
    Sums weights;
    for (std::size_t i = begin; i < end; ++i) {
      sums.Add(uncapped_[i], 1);
      weights.Add(1 / weights_[i], 1);
    }
    const double count = sums.weight;
    // A few points may be close to one another by chance: never less than the noise of the series.
    const double variance =
        std::max(sums.Variation() / std::max(1.0, count - 1), weights.weighted / count);
    return std::tuple(sums.weighted / count, variance / count, count);
  };
  const auto [before, before_variance, before_count] = side_of(0, split);
  const auto [after, after_variance, after_count] = side_of(split, uncapped_.size());
  const double degrees = std::min(before_count, after_count) - 1;
  const double step = std::abs(after - before);
  if (step <= kMostSdPerRun || degrees < 1) return 1;
  const double t = step / std::sqrt(noise_.inflation * (before_variance + after_variance));
  return std::min(1.0, 2 * StudentUpperTail(t, degrees));
}

double LocalView::PValueOfAllPoints(std::size_t at) const {
  SCHEDLAB_CHECK(at > points_.begin && at < points_.end);
  const Side before = SideOf(0, at - points_.begin);
  const Side after = SideOf(at - points_.begin, means_.size());
  return PValueOf(before, after, after.mean < before.mean ? -1 : 1);
}

std::vector<double> LocalView::VariationOfSplits() const {
  std::vector<double> variation(means_.size(), std::numeric_limits<double>::infinity());
  Sums before;
  for (std::size_t i = 1; i < means_.size(); ++i) {
    before.Add(means_[i - 1], weights_[i - 1]);
    variation[i] = before.Variation();
  }
  Sums after;
  for (std::size_t i = means_.size() - 1; i > 0; --i) {
    after.Add(means_[i], weights_[i]);
    variation[i] += after.Variation();
  }
  return variation;
}

std::size_t LocalView::BestSplit(std::size_t least_side) const {
  const std::vector<double> variation = VariationOfSplits();
  SCHEDLAB_CHECK(least_side > 0 && means_.size() >= 2 * least_side);
  const auto begin = variation.begin() + static_cast<std::ptrdiff_t>(least_side);
  const auto end = variation.end() - static_cast<std::ptrdiff_t>(least_side - 1);
  return points_.begin + static_cast<std::size_t>(std::min_element(begin, end) - variation.begin());
}

PointRange LocalView::LocateSplit(std::size_t at, double confidence) const {
  const std::vector<double> variation = VariationOfSplits();
  const double least = *std::min_element(variation.begin(), variation.end());
  const double degrees = noise_.degrees_of_freedom;
  // The levels are integrated out under a flat prior, the noise under what estimated it.
  std::vector<double> chances(means_.size(), 0);
  double all = 0;
  double before_weight = 0;
  const double all_weight = SideOf(0, means_.size()).weight;
  for (std::size_t i = 1; i < means_.size(); ++i) {
    before_weight += weights_[i - 1];
    const double excess = (variation[i] - least) / noise_.inflation;
    chances[i] = std::exp(-(degrees + 1) / 2 * std::log1p(excess / degrees)) /
                 std::sqrt(before_weight * (all_weight - before_weight));
    all += chances[i];
  }

  std::size_t first = at - points_.begin;
  std::size_t last = first;
  double held = chances[first];
  while (held < confidence * all) {
    const double left = first > 1 ? chances[first - 1] : -1;
    const double right = last + 1 < chances.size() ? chances[last + 1] : -1;
    if (left < 0 && right < 0) break;
    held += left > right ? chances[--first] : chances[++last];
  }
  return {.begin = points_.begin + first, .end = points_.begin + last};
}

}  // namespace schedlab::stats
