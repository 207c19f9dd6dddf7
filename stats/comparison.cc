#include "stats/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/bound_tests.h"
#include "stats/hodges_lehmann.h"

namespace schedlab::stats {
namespace {

double EstimateShift(const ScaledSamples& scaled, const ComparisonInput& input) {
  if (!input.is_paired) return HodgesLehmannShift(scaled.View());
  return HodgesLehmannOfPairs(scaled.View(), input.confidence_level)->estimate;
}

Interval HullOf(const Interval& a, const Interval& b) {
  return {.low = std::min(a.low, b.low), .high = std::max(a.high, b.high)};
}

// Holds the difference against the bounds and writes what follows into `comparison`.
void TestDifference(const ScaledSamples& scaled, const ComparisonInput& input,
                    const MeanDifference& difference, Comparison& comparison) {
  const Interval bounds = BoundsOf(scaled.scale, input.minimum_effect);
  double p_up = PValue(difference, bounds.high, Alternative::kGreater);
  double p_down = PValue(difference, bounds.low, Alternative::kLess);
  Interval interval = ConfidenceInterval(difference, input.confidence_level);
  if (difference.standard_error > 0 && HasRunsForRanks(scaled.View())) {
    p_up = std::max(p_up, RankPValue(scaled, bounds.high, Alternative::kGreater, input.is_paired));
    p_down = std::max(p_down, RankPValue(scaled, bounds.low, Alternative::kLess, input.is_paired));
    const Result<Shift> shift = input.is_paired
                                    ? HodgesLehmannOfPairs(scaled.View(), input.confidence_level)
                                    : HodgesLehmann(scaled.View(), input.confidence_level);
    interval = HullOf(interval, shift->interval);
  }
  interval = HullOf(interval, {.low = comparison.shift, .high = comparison.shift});

  const bool is_up_worse = input.direction == Direction::kLowerIsBetter;
  comparison.p_worse = is_up_worse ? p_up : p_down;
  comparison.p_better = is_up_worse ? p_down : p_up;
  comparison.interval = Interval{.low = ToRelativeChange(scaled.scale, interval.low),
                                 .high = ToRelativeChange(scaled.scale, interval.high)};
  comparison.noise_stddev = difference.run_stddev;
  if (difference.run_stddev > 0) comparison.effect_in_sd = comparison.shift / difference.run_stddev;
}

}  // namespace

Status CheckComparison(const ComparisonInput& input) {
  if (!(input.minimum_effect >= 0 && input.minimum_effect < 1)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the minimum effect {} is not in [0, 1)", input.minimum_effect));
  }
  if (!(input.confidence_level > 0 && input.confidence_level < 1)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the confidence level {} is not in (0, 1)", input.confidence_level));
  }
  if (input.history && !(input.history->stddev >= 0 && std::isfinite(input.history->stddev) &&
                         input.history->degrees_of_freedom > 0 &&
                         std::isfinite(input.history->degrees_of_freedom))) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("a noise of {} with {} degrees of freedom is no history",
                            input.history->stddev, input.history->degrees_of_freedom));
  }
  const TwoSamples samples{.baseline = input.baseline, .candidate = input.candidate};
  return input.is_paired ? CheckPairs(samples) : CheckSides(samples);
}

Result<Comparison> Compare(const ComparisonInput& input) {
  if (const Status status = CheckComparison(input); !status) return Fail(status.error());
  Comparison comparison;
  comparison.baseline = *Summarize(input.baseline);
  comparison.candidate = *Summarize(input.candidate);
  comparison.direction = input.direction;
  comparison.minimum_effect = input.minimum_effect;
  comparison.confidence_level = input.confidence_level;
  comparison.is_paired = input.is_paired;

  const ScaledSamples scaled =
      ScaleSamples({.baseline = input.baseline, .candidate = input.candidate});
  comparison.scale = scaled.scale;
  comparison.shift = EstimateShift(scaled, input);
  comparison.relative_change = ToRelativeChange(scaled.scale, comparison.shift);
  const std::optional<NoiseHistory> history =
      scaled.scale == Scale::kLogarithmic ? input.history : std::nullopt;
  const Result<MeanDifference> difference = input.is_paired
                                                ? MeanOfDifferences(scaled.View(), history)
                                                : DifferenceOfMeans(scaled.View(), history);
  // The sides are sound, so what is missing is the noise: the change alone is told.
  if (difference) TestDifference(scaled, input, *difference, comparison);
  return comparison;
}

}  // namespace schedlab::stats
