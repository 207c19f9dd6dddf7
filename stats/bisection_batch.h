#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/bisection_posterior.h"

namespace schedlab::stats {

// Places to probe, in the order in which to start them.

// `run_count` runs that alternate between two places, as many of each (one more of the first, if
// odd).
std::vector<std::size_t> AlternatingBatch(std::size_t one, std::size_t other,
                                          std::int64_t run_count);

// The next probes of a search: at the quantiles of the posterior about its median, with references
// at both ends among them so that each level stays as well known as what is held against it.
// `posterior` as of FirstBadPosterior(), over at least 3 places.
std::vector<std::size_t> SearchBatch(std::span<const double> posterior,
                                     std::span<const PlacedValue> values, std::int64_t run_count);

// Evenly spaced places, neither end among them.
std::vector<std::size_t> SurveyPlaces(std::size_t place_count);

}  // namespace schedlab::stats
