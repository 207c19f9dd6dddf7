#pragma once

#include <optional>
#include <vector>

#include "core/metric.h"
#include "core/result.h"
#include "stats/interval.h"
#include "stats/scaled_samples.h"
#include "stats/summary.h"
#include "stats/t_tests.h"

namespace schedlab::stats {

// One metric of one cell, measured on both sides. One sample is one independent run.
struct ComparisonInput {
  std::vector<double> baseline;
  std::vector<double> candidate;
  Direction direction = Direction::kHigherIsBetter;
  double minimum_effect = 0;  // relative, in [0, 1): less is not worth a person's time
  // Sample i of the two sides shares what makes runs differ: random numbers or a machine.
  bool is_paired = false;
  std::optional<NoiseHistory> history =
      std::nullopt;  // of the logarithm; unused on the plain scale
  double confidence_level = 0.95;
};

struct Comparison {
  Summary baseline;
  Summary candidate;
  Direction direction = Direction::kHigherIsBetter;
  double minimum_effect = 0;
  Scale scale = Scale::kLogarithmic;
  double relative_change = 0;  // candidate / baseline - 1, by Hodges and Lehmann
  std::optional<Interval> interval =
      std::nullopt;  // of the relative change; absent if the noise is unknown
  double confidence_level = 0;
  // Of "not worse (better) by more than the minimum effect", by the t test and from
  // kFewestRunsForRanks on by the rank test, whichever is larger. 1 where the noise is unknown.
  double p_worse = 1;
  double p_better = 1;
  // The change in standard deviations of one run (of one difference, if paired), on the scale, with
  // its sign. Absent where there is no noise or it is unknown.
  std::optional<double> effect_in_sd = std::nullopt;
  // What planning needs: the change and the noise of one run, on the scale.
  double shift = 0;
  std::optional<double> noise_stddev = std::nullopt;  // absent if unknown
  bool is_paired = false;
};

// kInvalidArgument for an empty side, a value that is not finite, pairs of unequal count, or a
// minimum effect, level or history out of range.
Status CheckComparison(const ComparisonInput& input);

// Errors as of CheckComparison().
Result<Comparison> Compare(const ComparisonInput& input);

}  // namespace schedlab::stats
