#include "stats/t_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/check.h"
#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

struct Side {
  double count = 0;
  double mean = 0;
  double squares = 0;  // sum of the squared deviations from the mean

  double DegreesOfFreedom() const { return count - 1; }
  double Variance() const { return squares / (count - 1); }
};

Side Describe(std::span<const double> samples) {
  Side side;
  side.count = static_cast<double>(samples.size());
  for (const double value : samples) side.mean += value / side.count;
  // Rounding of the mean must not turn equal samples into noisy ones.
  if (std::equal(samples.begin() + 1, samples.end(), samples.begin())) {
    side.mean = samples.front();
    return side;
  }
  for (const double value : samples) side.squares += (value - side.mean) * (value - side.mean);
  return side;
}

// `inverse_count` is the factor that turns the variance of one run into that of the estimate.
Result<MeanDifference> Pooled(double estimate, double squares, double degrees_of_freedom,
                              double inverse_count, const std::optional<NoiseHistory>& history) {
  double all_squares = squares;
  double all_degrees = degrees_of_freedom;
  if (history) {
    all_squares += history->stddev * history->stddev * history->degrees_of_freedom;
    all_degrees += history->degrees_of_freedom;
  }
  if (!(all_degrees > 0)) {
    return Fail(ErrorCode::kFailedPrecondition,
                "one run a side and no history of the metric cannot tell a change from noise");
  }
  const double run_stddev = std::sqrt(all_squares / all_degrees);
  return MeanDifference{.estimate = estimate,
                        .standard_error = run_stddev * std::sqrt(inverse_count),
                        .degrees_of_freedom = all_degrees,
                        .run_stddev = run_stddev};
}

MeanDifference Welch(const Side& baseline, const Side& candidate) {
  const double from_baseline = baseline.Variance() / baseline.count;
  const double from_candidate = candidate.Variance() / candidate.count;
  const double sum = from_baseline + from_candidate;
  MeanDifference difference{
      .estimate = candidate.mean - baseline.mean,
      .standard_error = std::sqrt(sum),
      .degrees_of_freedom = baseline.DegreesOfFreedom() + candidate.DegreesOfFreedom(),
      .run_stddev = std::sqrt((baseline.Variance() + candidate.Variance()) / 2)};
  if (!(sum > 0)) return difference;
  // Welch and Satterthwaite's approximation, with shares of the sum so that no square underflows.
  const double baseline_share = from_baseline / sum;
  const double candidate_share = from_candidate / sum;
  difference.degrees_of_freedom =
      1 / (baseline_share * baseline_share / baseline.DegreesOfFreedom() +
           candidate_share * candidate_share / candidate.DegreesOfFreedom());
  return difference;
}

Side DescribeDifferences(const TwoSamples& pairs) {
  std::vector<double> differences(pairs.candidate.begin(), pairs.candidate.end());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= pairs.baseline[i];
  return Describe(differences);
}

VarianceEstimate VarianceOf(double squares, double degrees_of_freedom) {
  return {.variance = degrees_of_freedom > 0 ? squares / degrees_of_freedom : 0,
          .degrees_of_freedom = degrees_of_freedom};
}

}  // namespace

Result<MeanDifference> DifferenceOfMeans(const TwoSamples& samples,
                                         const std::optional<NoiseHistory>& history) {
  if (const Status status = CheckSides(samples); !status) return Fail(status.error());
  const Side baseline = Describe(samples.baseline);
  const Side candidate = Describe(samples.candidate);
  if (!history && baseline.count > 1 && candidate.count > 1) return Welch(baseline, candidate);
  return Pooled(candidate.mean - baseline.mean, baseline.squares + candidate.squares,
                baseline.DegreesOfFreedom() + candidate.DegreesOfFreedom(),
                1 / baseline.count + 1 / candidate.count, history);
}

Result<MeanDifference> MeanOfDifferences(const TwoSamples& pairs,
                                         const std::optional<NoiseHistory>& history) {
  if (const Status status = CheckPairs(pairs); !status) return Fail(status.error());
  const Side side = DescribeDifferences(pairs);
  return Pooled(side.mean, side.squares, side.DegreesOfFreedom(), 1 / side.count, history);
}

VarianceEstimate PooledVariance(const TwoSamples& samples) {
  const Side baseline = Describe(samples.baseline);
  const Side candidate = Describe(samples.candidate);
  return VarianceOf(baseline.squares + candidate.squares,
                    baseline.DegreesOfFreedom() + candidate.DegreesOfFreedom());
}

VarianceEstimate VarianceOfDifferences(const TwoSamples& pairs) {
  const Side side = DescribeDifferences(pairs);
  return VarianceOf(side.squares, side.DegreesOfFreedom());
}

double PValue(const MeanDifference& difference, double bound, Alternative alternative) {
  const double excess = difference.estimate - bound;
  double t = excess / difference.standard_error;
  if (!(difference.standard_error > 0)) {
    // On the bound, but for rounding, is not beyond it.
    constexpr double kRounding = 1e-12;
    if (std::abs(excess) <= kRounding * std::max(std::abs(bound), kRounding)) return 1;
    t = std::copysign(std::numeric_limits<double>::infinity(), excess);
  }
  switch (alternative) {
    case Alternative::kGreater:
      return StudentUpperTail(t, difference.degrees_of_freedom);
    case Alternative::kLess:
      return StudentUpperTail(-t, difference.degrees_of_freedom);
    case Alternative::kDifferent:
      return std::min(1.0, 2 * StudentUpperTail(std::abs(t), difference.degrees_of_freedom));
  }
  return 1;
}

Interval ConfidenceInterval(const MeanDifference& difference, double confidence_level) {
  SCHEDLAB_CHECK(confidence_level > 0 && confidence_level < 1);
  const double reach = difference.standard_error *
                       StudentQuantile(0.5 + confidence_level / 2, difference.degrees_of_freedom);
  return {.low = difference.estimate - reach, .high = difference.estimate + reach};
}

}  // namespace schedlab::stats
