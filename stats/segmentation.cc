#include "stats/segmentation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/functional_pruning.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

std::vector<double> DifferencesAtLag(std::span<const double> values, std::size_t lag) {
  std::vector<double> differences;
  for (std::size_t i = lag; i < values.size(); ++i) {
    differences.push_back(values[i] - values[i - lag]);
  }
  return differences;
}

// Of absolute differences within segments: steadier than their median where the noise has more than
// one mode, and less moved by wild values than their root mean square.
double MeanDifferenceAtLag(std::span<const double> values, std::span<const std::size_t> divisions,
                           std::size_t lag) {
  double sum = 0;
  std::size_t count = 0;
  std::size_t begin = 0;
  const auto add_segment = [&](std::size_t end) {
    for (std::size_t i = begin + lag; i < end; ++i) {
      sum += std::abs(values[i] - values[i - lag]);
      ++count;
    }
    begin = end;
  };
  for (const std::size_t division : divisions) add_segment(division);
  add_segment(values.size());
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double MedianOfThree(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The squared distances of any range of values from its mean, in constant time.
class SquaresTable {
 public:
  explicit SquaresTable(std::span<const double> values) {
    sums_.reserve(values.size() + 1);
    squares_.reserve(values.size() + 1);
    sums_.push_back(0);
    squares_.push_back(0);
    for (const double value : values) {
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }

  double SumBefore(std::size_t end) const { return sums_[end]; }
  double SquaresBefore(std::size_t end) const { return squares_[end]; }

  double Cost(std::size_t begin, std::size_t end) const {
    const double sum = sums_[end] - sums_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// Near 0, so that the table's differences of sums keep their digits.
std::vector<double> Centered(std::span<const double> values) {
  const double center = Median(values);
  std::vector<double> centered(values.begin(), values.end());
  for (double& value : centered) value -= center;
  return centered;
}

}  // namespace

double NoiseFromDifferences(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const std::vector<double> differences = DifferencesAtLag(values, 1);
  const double robust = RobustStddev(differences, 0) / std::sqrt(2.0);
  if (robust > 0) return robust;
  // More than half of the neighbours are equal.
  double squares = 0;
  for (const double difference : differences) squares += difference * difference;
  return std::sqrt(squares / 2 / static_cast<double>(differences.size()));
}

double AutocorrelationFromDifferences(std::span<const double> values,
                                      std::span<const std::size_t> divisions) {
  constexpr std::size_t kFewestValues = 50;
  if (values.size() < kFewestValues) return 0;
  const double at_one = MeanDifferenceAtLag(values, divisions, 1);
  const double at_two = MeanDifferenceAtLag(values, divisions, 2);
  if (!(at_one > 0)) return 0;
  // For an AR(1) series the variances of the differences are as 1 to 1 + r. The standard error of
  // the ratio, about 1.5 / sqrt(n), is taken off.
  const double ratio = at_two / at_one;
  const double allowance = 1.5 / std::sqrt(static_cast<double>(values.size()));
  return std::clamp(ratio * ratio - 1 - allowance, 0.0, 0.8);
}

std::vector<double> WithoutSpikes(std::span<const double> values, double noise) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    const double middle = MedianOfThree(values[i - 1], values[i], values[i + 1]);
    if (std::abs(values[i] - middle) > 3 * noise) result[i] = middle;
  }
  return result;
}

std::vector<std::size_t> Divide(std::span<const double> values, double penalty,
                                std::size_t shortest_segment) {
  const std::size_t count = values.size();
  if (count < 2 * shortest_segment) return {};
  const std::vector<double> centered = Centered(values);
  const auto [lowest, highest] = std::minmax_element(centered.begin(), centered.end());
  if (*lowest == *highest) return {};
  const SquaresTable table(centered);
  // best[t]: the least cost of the first t values; last_begin[t]: where its last segment begins.
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last_begin(count + 1, 0);
  best[0] = -penalty;
  BeginsByLevel begins(*lowest, *highest);
  for (std::size_t end = shortest_segment; end <= count; ++end) {
    const std::size_t newest = end - shortest_segment;
    if (std::isfinite(best[newest])) {
      begins.Add({.begin = newest,
                  .constant = best[newest] - table.SquaresBefore(newest),
                  .slope = 2 * table.SumBefore(newest)});
    }
    for (const BeginsByLevel::Piece& piece : begins.pieces()) {
      const std::size_t begin = piece.begin.begin;
      const double cost = best[begin] + table.Cost(begin, end) + penalty;
      if (cost < best[end] || (cost == best[end] && begin < last_begin[end])) {
        best[end] = cost;
        last_begin[end] = begin;
      }
    }
  }
  std::vector<std::size_t> divisions;
  for (std::size_t end = last_begin[count]; end > 0; end = last_begin[end]) {
    divisions.push_back(end);
  }
  std::reverse(divisions.begin(), divisions.end());
  return divisions;
}

}  // namespace schedlab::stats
