#pragma once

#include <span>

#include "core/result.h"

namespace schedlab::stats {

// The probability that `values` are of the good level and not of the bad one, each as likely
// beforehand: both levels and the noise, which they share, are unknown and known only by the
// references and by the values themselves. On the log scale if all numbers are positive. Values
// far outside of both references are moved nearer, as in a bisection. 0.5 where the references do
// not differ. kInvalidArgument: fewer than 3 numbers on a side, no value, one that is not finite.
Result<double> ProbabilityOfGood(std::span<const double> good, std::span<const double> bad,
                                 std::span<const double> values);

}  // namespace schedlab::stats
