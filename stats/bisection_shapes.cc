#include "stats/bisection_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace schedlab::stats {
namespace {

struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;

  Sums Without(const Sums& other) const {
    return {count - other.count, sum - other.sum, squares - other.squares};
  }
  double Spread() const { return count > 0 ? squares - sum * sum / count : 0; }
};

// A sum of terms that are known by their logarithms.
class LogSum {
 public:
  void Add(double log_term) {
    if (log_term == -std::numeric_limits<double>::infinity()) return;
    if (log_term > largest_) {
      sum_ = sum_ * std::exp(largest_ - log_term);
      largest_ = log_term;
    }
    sum_ += std::exp(log_term - largest_);
  }
  double Log() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0;
};

// What matters of a step's place is which measured places lie before it: one class of places for
// each gap between measured places.
class ShapeEvidence {
 public:
  ShapeEvidence(std::span<const double> weights, std::span<const PlacedValue> values)
      : value_count_(static_cast<double>(values.size())) {
    double center = 0;
    for (const PlacedValue& value : values) center += value.value / value_count_;
    Sums sums;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i].value - center;
      sums.count += 1;
      sums.sum += value;
      sums.squares += value * value;
      AddToDrift(static_cast<double>(values[i].place), value);
      if (i + 1 < values.size() && values[i + 1].place == values[i].place) continue;
      sums_before_.push_back(sums);
      if (i + 1 == values.size()) continue;
      const auto begin = weights.begin();
      const auto from = static_cast<std::ptrdiff_t>(values[i].place + 1);
      const auto to = static_cast<std::ptrdiff_t>(values[i + 1].place + 1);
      class_weights_.push_back(std::accumulate(begin + from, begin + to, 0.0));
    }
    whole_ = sums;
    total_weight_ = std::accumulate(class_weights_.begin(), class_weights_.end(), 0.0);
  }

  double Flat() const { return Log(whole_.Spread(), 0); }

  double OneStep() const {
    LogSum sum;
    for (std::size_t i = 0; i < class_weights_.size(); ++i) {
      sum.Add(std::log(class_weights_[i] / total_weight_) + Log(SpreadOfOne(i), 1));
    }
    return sum.Log();
  }

  double TwoSteps() const {
    const double pair_weight = total_weight_ * total_weight_ / 2;
    LogSum sum;
    for (std::size_t i = 0; i < class_weights_.size(); ++i) {
      const double own = class_weights_[i] * class_weights_[i] / 2;
      sum.Add(std::log(own / pair_weight) + Log(SpreadOfOne(i), 2));
      for (std::size_t j = i + 1; j < class_weights_.size(); ++j) {
        const double weight = class_weights_[i] * class_weights_[j];
        const double spread = sums_before_[i].Spread() +
                              sums_before_[j].Without(sums_before_[i]).Spread() +
                              whole_.Without(sums_before_[j]).Spread();
        sum.Add(std::log(weight / pair_weight) + Log(spread, 2));
      }
    }
    return sum.Log();
  }

  double Drift() const {
    const double place_spread = place_.Spread();
    if (!(place_spread > 0)) return Flat();
    const double product = product_ - place_.sum * whole_.sum / value_count_;
    return Log(whole_.Spread() - product * product / place_spread, 1);
  }

 private:
  void AddToDrift(double place, double value) {
    place_.count += 1;
    place_.sum += place;
    place_.squares += place * place;
    product_ += place * value;
  }

  double SpreadOfOne(std::size_t i) const {
    return sums_before_[i].Spread() + whole_.Without(sums_before_[i]).Spread();
  }

  // Of a shape that leaves this spread with so many parameters beside level and noise.
  double Log(double spread, double parameter_count) const {
    constexpr double kRounding = 1e-13;
    const double floor = kRounding * std::max(whole_.squares, 1e-300);
    return -0.5 * parameter_count * std::log(value_count_) -
           0.5 * (value_count_ - 1) * std::log(std::max(spread, floor));
  }

  double value_count_;
  std::vector<Sums> sums_before_;  // up to and with each measured place
  std::vector<double> class_weights_;
  Sums whole_;
  Sums place_;
  double product_ = 0;
  double total_weight_ = 0;
};

}  // namespace

ShapeProbabilities CompareShapes(std::span<const double> weights,
                                 std::span<const PlacedValue> values) {
  if (values.empty() || values.front().place == values.back().place) {
    return {.flat = 0.25, .one_step = 0.25, .two_steps = 0.25, .drift = 0.25};
  }
  const ShapeEvidence evidence(weights, values);
  ShapeProbabilities shapes{.flat = evidence.Flat(),
                            .one_step = evidence.OneStep(),
                            .two_steps = evidence.TwoSteps(),
                            .drift = evidence.Drift()};
  const double largest = std::max({shapes.flat, shapes.one_step, shapes.two_steps, shapes.drift});
  double sum = 0;
  for (double* shape : {&shapes.flat, &shapes.one_step, &shapes.two_steps, &shapes.drift}) {
    *shape = std::exp(*shape - largest);
    sum += *shape;
  }
  for (double* shape : {&shapes.flat, &shapes.one_step, &shapes.two_steps, &shapes.drift}) {
    *shape /= sum;
  }
  return shapes;
}

}  // namespace schedlab::stats
