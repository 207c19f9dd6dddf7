#include "stats/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/false_discovery.h"
#include "stats/hodges_lehmann.h"
#include "stats/power.h"
#include "stats/rank_tests.h"

namespace schedlab::stats {
namespace {

// From so many runs a side on, a rank test must agree: with fewer it could not reject at the levels
// that a gate over many metrics needs.
constexpr std::size_t kFewestRunsForRanks = 8;

// Of 90 % power to call a change, and of as much to find both ends of an interval within bounds.
constexpr double kPlannedPower = 0.9;
constexpr double kPlannedPowerOfEachEnd = 0.95;

constexpr double kRounding = 1e-12;

struct ScaledSamples {
  Scale scale = Scale::kLogarithmic;
  std::vector<double> baseline;
  std::vector<double> candidate;

  TwoSamples View() const { return {.baseline = baseline, .candidate = candidate}; }
};

// The minimum effect on the scale: changes between the bounds are not worth a person's time.
Interval BoundsOf(Scale scale, double minimum_effect) {
  if (scale == Scale::kPlain) return {.low = -minimum_effect, .high = minimum_effect};
  return {.low = std::log1p(-minimum_effect), .high = std::log1p(minimum_effect)};
}

double ToRelativeChange(Scale scale, double shift) {
  return scale == Scale::kPlain ? shift : std::expm1(shift);
}

double MeanMagnitude(const ComparisonInput& input) {
  const auto count = static_cast<double>(input.baseline.size() + input.candidate.size());
  double mean = 0;
  for (const double value : input.baseline) mean += std::abs(value) / count;
  for (const double value : input.candidate) mean += std::abs(value) / count;
  return mean;
}

ScaledSamples ScaleSamples(const ComparisonInput& input, const Comparison& summaries) {
  ScaledSamples scaled{
      .scale = Scale::kLogarithmic, .baseline = input.baseline, .candidate = input.candidate};
  if (summaries.baseline.minimum > 0 && summaries.candidate.minimum > 0) {
    for (double& value : scaled.baseline) value = std::log(value);
    for (double& value : scaled.candidate) value = std::log(value);
    return scaled;
  }
  scaled.scale = Scale::kPlain;
  double magnitude = std::abs(summaries.baseline.median);
  if (!(magnitude > 0)) magnitude = MeanMagnitude(input);
  if (!(magnitude > 0)) return scaled;
  for (double& value : scaled.baseline) value /= magnitude;
  for (double& value : scaled.candidate) value /= magnitude;
  return scaled;
}

Status CheckInput(const ComparisonInput& input) {
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

double EstimateShift(const ScaledSamples& scaled, const ComparisonInput& input) {
  if (!input.is_paired) return HodgesLehmannShift(scaled.View());
  return HodgesLehmannOfPairs(scaled.View(), input.confidence_level)->estimate;
}

bool RanksMustAgree(const ComparisonInput& input, const MeanDifference& difference) {
  return std::min(input.baseline.size(), input.candidate.size()) >= kFewestRunsForRanks &&
         difference.standard_error > 0;
}

// The p-value of a rank test of "the candidate is beyond `bound` on the scale".
double RankPValue(const ScaledSamples& scaled, double bound, Alternative alternative,
                  bool is_paired) {
  std::vector<double> moved = scaled.baseline;
  for (double& value : moved) value += bound;
  const TwoSamples samples{.baseline = moved, .candidate = scaled.candidate};
  return is_paired ? SignedRank(samples, alternative)->p_value
                   : MannWhitney(samples, alternative)->p_value;
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
  if (RanksMustAgree(input, difference)) {
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

bool LiesWithinMinimumEffect(const Comparison& comparison) {
  return comparison.interval &&
         comparison.interval->low >= -comparison.minimum_effect - kRounding &&
         comparison.interval->high <= comparison.minimum_effect + kRounding;
}

// `significance` is that of the verdicts worse and better.
std::optional<std::int64_t> MoreRunsNeeded(const Comparison& comparison, double significance) {
  if (!comparison.noise_stddev) return std::nullopt;
  const Interval bounds = BoundsOf(comparison.scale, comparison.minimum_effect);
  PowerQuestion question{.distance = 0,
                         .stddev = *comparison.noise_stddev,
                         .significance = significance,
                         .power = kPlannedPower,
                         .is_paired = comparison.is_paired};
  if (comparison.shift > bounds.high) {
    question.distance = comparison.shift - bounds.high;
  } else if (comparison.shift < bounds.low) {
    question.distance = bounds.low - comparison.shift;
  } else {
    question.distance = std::min(comparison.shift - bounds.low, bounds.high - comparison.shift);
    question.significance = (1 - comparison.confidence_level) / 2;
    question.power = kPlannedPowerOfEachEnd;
  }
  const std::int64_t needed = question.distance > 0 ? RunsNeeded(question) : kMostPlannedRuns;
  const std::int64_t present = std::min(comparison.baseline.count, comparison.candidate.count);
  return std::clamp<std::int64_t>(needed - present, 1, kMostPlannedRuns);
}

}  // namespace

Result<Comparison> Compare(const ComparisonInput& input) {
  if (const Status status = CheckInput(input); !status) return Fail(status.error());
  Comparison comparison;
  comparison.baseline = *Summarize(input.baseline);
  comparison.candidate = *Summarize(input.candidate);
  comparison.direction = input.direction;
  comparison.minimum_effect = input.minimum_effect;
  comparison.confidence_level = input.confidence_level;
  comparison.is_paired = input.is_paired;

  const ScaledSamples scaled = ScaleSamples(input, comparison);
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

Result<std::vector<Comparison>> CompareAll(std::span<const ComparisonInput> inputs) {
  std::vector<Comparison> comparisons;
  comparisons.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Result<Comparison> comparison = Compare(inputs[i]);
    if (!comparison) {
      return Fail(comparison.error().code,
                  fmt::format("comparison {}: {}", i, comparison.error().message));
    }
    comparisons.push_back(*std::move(comparison));
  }
  return comparisons;
}

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBetter:
      return "better";
    case Verdict::kNoChange:
      return "no change";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "undecided";
}

std::vector<Judgement> Judge(std::span<const Comparison> comparisons, double false_discovery_rate) {
  SCHEDLAB_CHECK(false_discovery_rate > 0 && false_discovery_rate < 1);
  std::vector<double> p_worse;
  std::vector<double> p_better;
  for (const Comparison& comparison : comparisons) {
    p_worse.push_back(comparison.p_worse);
    p_better.push_back(comparison.p_better);
  }
  p_worse = AdjustForFalseDiscovery(p_worse);
  p_better = AdjustForFalseDiscovery(p_better);

  // The level of the first step of Benjamini and Hochberg: what a lone change would have to reach.
  const double lone_significance =
      std::min(0.49, false_discovery_rate / static_cast<double>(comparisons.size()));
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    Judgement judgement{.adjusted_p_worse = p_worse[i], .adjusted_p_better = p_better[i]};
    if (p_worse[i] <= false_discovery_rate) {
      judgement.verdict = Verdict::kWorse;
    } else if (p_better[i] <= false_discovery_rate) {
      judgement.verdict = Verdict::kBetter;
    } else if (LiesWithinMinimumEffect(comparisons[i])) {
      judgement.verdict = Verdict::kNoChange;
    } else {
      judgement.more_runs_needed = MoreRunsNeeded(comparisons[i], lone_significance);
    }
    judgements.push_back(judgement);
  }
  return judgements;
}

}  // namespace schedlab::stats
