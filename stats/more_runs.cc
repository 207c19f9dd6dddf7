#include "stats/more_runs.h"

#include <algorithm>

#include "stats/power.h"

namespace schedlab::stats {
namespace {

// Of 90 % power to call a change, and of as much to find both ends of an interval within bounds.
constexpr double kPlannedPower = 0.9;
constexpr double kPlannedPowerOfEachEnd = 0.95;

}  // namespace

std::optional<std::int64_t> MoreRunsNeeded(const Comparison& comparison, double significance,
                                           double history_degrees) {
  if (!comparison.noise_stddev) return std::nullopt;
  const Interval bounds = BoundsOf(comparison.scale, comparison.minimum_effect);
  PowerQuestion question{.distance = 0,
                         .stddev = *comparison.noise_stddev,
                         .significance = significance,
                         .power = kPlannedPower,
                         .is_paired = comparison.is_paired,
                         .history_degrees = history_degrees};
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

}  // namespace schedlab::stats
