#pragma once

#include <span>

#include "stats/bisection.h"
#include "stats/bisection_posterior.h"

namespace schedlab::stats {

// How well one level, one step, two steps and a straight drift explain the values, by Bayes factors
// with priors worth one run (Schwarz 1978; Kass and Raftery 1995). The places of the steps are
// averaged over their prior weights. Places are as far apart as their indices.
// Requires: values sorted by place.
ShapeProbabilities CompareShapes(std::span<const double> weights,
                                 std::span<const PlacedValue> values);

}  // namespace schedlab::stats
