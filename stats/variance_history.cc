#include "stats/variance_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

// With fewer, the spread of the variances is hardly known.
constexpr std::size_t kFewestVariances = 10;

// Of the logarithm of a variance with so many degrees: how far its mean lies from the truth.
double LogBias(double degrees_of_freedom) {
  return Digamma(degrees_of_freedom / 2) - std::log(degrees_of_freedom / 2);
}

// The degrees of freedom of a chi^2 whose logarithm has that variance.
double DegreesOfLogVariance(double variance) {
  return variance > 0 ? 2 * TrigammaInverse(variance) : std::numeric_limits<double>::infinity();
}

// A variance of 0 has no logarithm; limma too lifts it to a trifle of the median.
double SmallestVariance(std::span<const VarianceEstimate> estimates) {
  std::vector<double> variances;
  for (const VarianceEstimate& one : estimates) variances.push_back(one.variance);
  const double median = Median(variances);
  if (median > 0) return 1e-5 * median;
  return 1e-5 * *std::max_element(variances.begin(), variances.end());
}

std::optional<VarianceEstimate> LogVariance(std::span<const double> runs) {
  std::vector<double> logs;
  for (const double value : runs) {
    if (!(value > 0)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  if (logs.size() < 2) return std::nullopt;
  const Result<Summary> summary = Summarize(logs);
  if (!summary) return std::nullopt;
  return VarianceEstimate{.variance = *summary->stddev * *summary->stddev,
                          .degrees_of_freedom = static_cast<double>(logs.size() - 1)};
}

}  // namespace

VarianceEstimate FitVariancePrior(std::span<const VarianceEstimate> estimates) {
  SCHEDLAB_CHECK(estimates.size() >= 2);
  const auto count = static_cast<double>(estimates.size());
  const double smallest = SmallestVariance(estimates);
  SCHEDLAB_CHECK(smallest > 0);
  std::vector<double> logs;
  double mean = 0;
  double by_chance = 0;
  for (const VarianceEstimate& one : estimates) {
    SCHEDLAB_CHECK(one.variance >= 0 && one.degrees_of_freedom > 0);
    logs.push_back(std::log(std::max(one.variance, smallest)) - LogBias(one.degrees_of_freedom));
    mean += logs.back() / count;
    by_chance += Trigamma(one.degrees_of_freedom / 2) / count;
  }
  double spread = 0;
  for (const double log : logs) spread += (log - mean) * (log - mean) / (count - 1);
  const double degrees = DegreesOfLogVariance(spread - by_chance);
  const double bias = std::isfinite(degrees) ? LogBias(degrees) : 0;
  return {.variance = std::exp(mean + bias), .degrees_of_freedom = degrees};
}

NoiseHistory PoolHistory(std::span<const VarianceEstimate> earlier) {
  SCHEDLAB_CHECK(!earlier.empty());
  double squares = 0;
  double degrees = 0;
  for (const VarianceEstimate& one : earlier) {
    SCHEDLAB_CHECK(one.variance >= 0 && one.degrees_of_freedom > 0);
    squares += one.variance * one.degrees_of_freedom;
    degrees += one.degrees_of_freedom;
  }
  NoiseHistory history{.stddev = std::sqrt(squares / degrees),
                       .degrees_of_freedom = std::min(degrees, kMostHistoryDegrees)};
  if (earlier.size() >= kFewestVariances && squares > 0) {
    history.degrees_of_freedom =
        std::min(history.degrees_of_freedom, FitVariancePrior(earlier).degrees_of_freedom);
  }
  return history;
}

std::optional<NoiseHistory> HistoryOfRuns(std::span<const std::vector<double>> evaluations) {
  std::vector<VarianceEstimate> estimates;
  bool has_noise = false;
  for (const std::vector<double>& runs : evaluations) {
    const std::optional<VarianceEstimate> estimate = LogVariance(runs);
    if (!estimate) continue;
    has_noise = has_noise || estimate->variance > 0;
    estimates.push_back(*estimate);
  }
  if (!has_noise) return std::nullopt;
  return PoolHistory(estimates);
}

double DegreesDeserved(std::span<const HistoryCheck> cells) {
  double excess = 0;
  std::size_t count = 0;
  for (const HistoryCheck& cell : cells) {
    if (!(cell.runs.variance > 0 && cell.history.stddev > 0)) continue;
    const double runs = std::log(cell.runs.variance) - LogBias(cell.runs.degrees_of_freedom);
    const double history =
        2 * std::log(cell.history.stddev) - LogBias(cell.history.degrees_of_freedom);
    // About 0, not about the mean: a machine that is noisier today in every metric alike has
    // left its history behind too.
    excess += (runs - history) * (runs - history) - Trigamma(cell.runs.degrees_of_freedom / 2);
    ++count;
  }
  if (count < kFewestVariances) return kMostHistoryDegrees;
  return std::min(kMostHistoryDegrees, DegreesOfLogVariance(excess / static_cast<double>(count)));
}

}  // namespace schedlab::stats
