#include "stats/bisection_posterior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"

namespace schedlab::stats {
namespace {

// Sums over the values under V = noise * (1 + variance * same round): by Woodbury, the inverse
// takes from each round's plain sums a part of the product of the round's totals.
class StepLikelihood {
 public:
  StepLikelihood(std::span<const PlacedValue> values, double center, double round_variance)
      : center_(center), shrink_(RoundCount(values)), after_(shrink_.size()) {
    std::vector<double> totals(shrink_.size());
    for (const PlacedValue& value : values) {
      shrink_[value.round] += 1;
      totals[value.round] += value.value - center_;
      yy_ += (value.value - center_) * (value.value - center_);
    }
    for (std::size_t round = 0; round < shrink_.size(); ++round) {
      const double count = shrink_[round];
      log_determinant_ += std::log1p(count * round_variance);
      shrink_[round] = round_variance / (1 + count * round_variance);
      sizes_.push_back(count);
      one_one_ += count - shrink_[round] * count * count;
      one_y_ += totals[round] - shrink_[round] * count * totals[round];
      yy_ -= shrink_[round] * totals[round] * totals[round];
    }
    totals_ = std::move(totals);
    value_count_ = static_cast<double>(values.size());
  }

  // Counts the value among those after the step.
  void MoveAfterStep(const PlacedValue& value) {
    const double shrink = shrink_[value.round];
    double& after = after_[value.round];
    xx_ += 1 - shrink * (2 * after + 1);
    one_x_ += 1 - shrink * sizes_[value.round];
    xy_ += value.value - center_ - shrink * totals_[value.round];
    after += 1;
  }

  // The logarithm of the marginal likelihood of the step, but for a constant that all steps and all
  // round variances share.
  double Log() const {
    const double y_spread = yy_ - one_y_ * one_y_ / one_one_;
    const double x_spread = xx_ - one_x_ * one_x_ / one_one_;
    const double product = xy_ - one_x_ * one_y_ / one_one_;
    // No less than what rounding leaves of values that lie on two levels exactly.
    constexpr double kRounding = 1e-13;
    const double rest =
        std::max(y_spread - product * product / x_spread, kRounding * std::abs(y_spread));
    if (!(rest > 0)) return 0;  // all values are equal
    return -0.5 * (log_determinant_ + std::log(one_one_ * x_spread)) -
           0.5 * (value_count_ - 2) * std::log(rest);
  }

 private:
  static std::size_t RoundCount(std::span<const PlacedValue> values) {
    std::size_t count = 0;
    for (const PlacedValue& value : values) count = std::max(count, value.round + 1);
    return count;
  }

  double center_;
  std::vector<double> shrink_;  // per round: what of its total is taken off
  std::vector<double> after_;   // per round: values after the step
  std::vector<double> sizes_;
  std::vector<double> totals_;
  double value_count_ = 0;
  double log_determinant_ = 0;
  // Products of the columns 1, x (after the step) and y.
  double one_one_ = 0;
  double one_y_ = 0;
  double yy_ = 0;
  double one_x_ = 0;
  double xx_ = 0;
  double xy_ = 0;
};

double MeanOf(std::span<const PlacedValue> values) {
  double sum = 0;
  for (const PlacedValue& value : values) sum += value.value;
  return sum / static_cast<double>(values.size());
}

// Of the step before each place; place 0 is left at 0.
std::vector<double> LogLikelihoods(std::size_t place_count, std::span<const PlacedValue> values,
                                   double round_variance) {
  StepLikelihood likelihood(values, MeanOf(values), round_variance);
  std::vector<double> logs(place_count);
  std::size_t next = values.size();
  for (std::size_t place = place_count - 1; place > 0; --place) {
    const std::size_t before = next;
    while (next > 0 && values[next - 1].place == place) likelihood.MoveAfterStep(values[--next]);
    const bool is_same = next == before && place + 1 < place_count;
    logs[place] = is_same ? logs[place + 1] : likelihood.Log();
  }
  return logs;
}

bool HasRounds(std::span<const PlacedValue> values) {
  return std::any_of(values.begin(), values.end(), [&values](const PlacedValue& value) {
    return value.round != values.front().round;
  });
}

void ScaleToOne(std::vector<double>& probabilities) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) probability /= sum;
}

}  // namespace

std::vector<double> FirstBadPosterior(std::span<const double> weights,
                                      std::span<const PlacedValue> values) {
  SCHEDLAB_CHECK(weights.size() >= 2);
  std::vector<double> posterior(weights.begin(), weights.end());
  posterior.front() = 0;
  if (values.empty() || values.front().place != 0 || values.back().place + 1 != weights.size()) {
    ScaleToOne(posterior);
    return posterior;
  }
  std::vector<std::vector<double>> logs;
  for (const RoundShift& shift : kRoundShifts) {
    // In a single round its shift is part of the levels.
    if (shift.variance > 0 && !HasRounds(values)) break;
    logs.push_back(LogLikelihoods(weights.size(), values, shift.variance));
  }
  double largest = logs.front()[1];
  for (const auto& column : logs) {
    largest = std::max(largest, *std::max_element(column.begin() + 1, column.end()));
  }
  for (std::size_t place = 1; place < posterior.size(); ++place) {
    double likelihood = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      likelihood += kRoundShifts[i].weight * std::exp(logs[i][place] - largest);
    }
    posterior[place] *= likelihood;
  }
  ScaleToOne(posterior);
  return posterior;
}

std::vector<std::size_t> SmallestSet(std::span<const double> probabilities, double mass) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&probabilities](std::size_t a, std::size_t b) {
    return probabilities[a] > probabilities[b];
  });
  double held = 0;
  std::size_t count = 0;
  while (count < order.size() && held < mass && probabilities[order[count]] > 0) {
    held += probabilities[order[count++]];
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

StepFit FitStep(std::span<const PlacedValue> values, std::size_t first_bad) {
  StepFit fit;
  for (const PlacedValue& value : values) {
    const bool is_after = value.place >= first_bad;
    (is_after ? fit.count_after : fit.count_before) += 1;
    (is_after ? fit.after : fit.before) += value.value;
  }
  if (fit.count_before == 0 || fit.count_after == 0) return {};
  fit.before /= fit.count_before;
  fit.after /= fit.count_after;
  double squares = 0;
  for (const PlacedValue& value : values) {
    const double rest = value.value - (value.place >= first_bad ? fit.after : fit.before);
    squares += rest * rest;
  }
  fit.degrees_of_freedom = fit.count_before + fit.count_after - 2;
  if (fit.degrees_of_freedom > 0) fit.stddev = std::sqrt(squares / fit.degrees_of_freedom);
  return fit;
}

}  // namespace schedlab::stats
