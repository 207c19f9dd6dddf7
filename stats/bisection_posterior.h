#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace schedlab::stats {

// A value at a place of the history, taken in a round.
struct PlacedValue {
  std::size_t place = 0;
  std::size_t round = 0;  // dense: 0, 1, ...
  double value = 0;
};

// The probability of each place to be the first with the second level, given one step between two
// unknown levels (flat priors), normal noise of unknown variance (prior 1 / variance) and a shift
// of its own for each round, whose variance relative to the noise is averaged over kRoundShifts.
// The parameters are integrated out in closed form. `weights` are the prior weights of the places,
// of which the first counts for nothing: it is before the step. Sums to 1. The prior, if not both
// the first and the last place have a value. Requires: values sorted by place, at least 2 places,
// positive weights.
std::vector<double> FirstBadPosterior(std::span<const double> weights,
                                      std::span<const PlacedValue> values);

// Variances of the rounds' shifts, in variances of a run, and what is thought of each beforehand.
struct RoundShift {
  double variance = 0;
  double weight = 0;
};
inline constexpr RoundShift kRoundShifts[] = {{0, 0.5}, {0.25, 0.25}, {1, 0.25}};

// The fewest places that hold `mass` of the probability, in order; of equals the earlier.
std::vector<std::size_t> SmallestSet(std::span<const double> probabilities, double mass);

// The two levels and the noise about them with the step before `first_bad`.
struct StepFit {
  double before = 0;
  double after = 0;
  double stddev = 0;              // of a run
  double degrees_of_freedom = 0;  // of stddev; 0 = unknown
  double count_before = 0;
  double count_after = 0;
};
// All 0 where a side has no values.
StepFit FitStep(std::span<const PlacedValue> values, std::size_t first_bad);

}  // namespace schedlab::stats
