#pragma once

#include <optional>
#include <span>

#include "core/result.h"
#include "stats/interval.h"
#include "stats/two_samples.h"

namespace schedlab::stats {

// What earlier runs of the same metric on the same machine say of its noise, on the scale on which
// it is tested: a pooled standard deviation and what it is worth in degrees of freedom.
struct NoiseHistory {
  double stddev = 0;
  double degrees_of_freedom = 0;
};

// A variance and what it is worth.
struct VarianceEstimate {
  double variance = 0;
  double degrees_of_freedom = 0;
};

// A difference candidate - baseline with the noise it is to be held against.
struct MeanDifference {
  double estimate = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;
  double run_stddev = 0;  // of one run (of one difference, if paired)
};

// Welch's; with one run on one side the other side's variance serves both; with a history,
// moderated: the variances of the runs and of the history pooled by their degrees of freedom
// (Smyth 2004). kInvalidArgument for an empty side or a value that is not finite,
// kFailedPrecondition where neither the runs nor a history tell the noise.
Result<MeanDifference> DifferenceOfMeans(const TwoSamples& samples,
                                         const std::optional<NoiseHistory>& history);

// Of the differences candidate[i] - baseline[i]. Errors as above, and for sides of unequal count.
Result<MeanDifference> MeanOfDifferences(const TwoSamples& pairs,
                                         const std::optional<NoiseHistory>& history);

// Of one run about the mean of its side, pooled; of one difference about their mean. No degrees of
// freedom and a variance of 0 for one run a side. Requires: sound sides, of equal count if pairs.
VarianceEstimate PooledVariance(const TwoSamples& samples);
VarianceEstimate VarianceOfDifferences(const TwoSamples& pairs);

// The p-value of "the difference is `bound` or on the other side of it". Without any noise the
// estimate is compared with the bound as it is: 0 or 1.
double PValue(const MeanDifference& difference, double bound, Alternative alternative);

// The two-sided interval. Requires: confidence_level in (0, 1).
Interval ConfidenceInterval(const MeanDifference& difference, double confidence_level);

}  // namespace schedlab::stats
