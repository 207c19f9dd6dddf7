#pragma once

#include "core/result.h"
#include "stats/interval.h"
#include "stats/two_samples.h"

namespace schedlab::stats {

struct Shift {
  double estimate = 0;
  Interval interval;
  // Of the interval; below the level asked for where so few runs cannot reach it.
  double confidence_level = 0;
};

// Hodges-Lehmann: the median of all differences candidate - baseline, with the interval of the
// shifts that Mann-Whitney's test would not refuse. O(m + n) memory. kInvalidArgument for an empty
// side or a value that is not finite. Requires: confidence_level in (0, 1).
Result<Shift> HodgesLehmann(const TwoSamples& samples, double confidence_level);

// The same for pairs, by the averages of any two differences and the signed-rank test. O(n^2) time
// and memory. kInvalidArgument also for sides of unequal count.
Result<Shift> HodgesLehmannOfPairs(const TwoSamples& pairs, double confidence_level);

// The estimate of HodgesLehmann() alone. Requires: both sides hold samples, all finite.
double HodgesLehmannShift(const TwoSamples& samples);

}  // namespace schedlab::stats
