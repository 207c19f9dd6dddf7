#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stats/t_tests.h"
#include "stats/two_samples.h"

namespace schedlab::stats {

// Runs that stand apart from their side, by index. They are repeated and stay in the data.
struct OutlyingRuns {
  std::vector<std::size_t> baseline;
  std::vector<std::size_t> candidate;

  friend bool operator==(const OutlyingRuns&, const OutlyingRuns&) = default;
};

// Hampel's rule: the runs further than 4 standard deviations from the median of their side. The
// standard deviation is the history's or, from 10 runs in all on, that by the median deviation of
// both sides, whichever is larger. None without either. On the scale of the test.
// Requires: both sides hold samples, all finite.
OutlyingRuns FindOutlyingRuns(const TwoSamples& samples,
                              const std::optional<NoiseHistory>& history);

// The same for pairs, from 5 on: an outlying difference flags both of its runs.
// Requires: sides of equal count, not empty, all finite.
OutlyingRuns FindOutlyingPairs(const TwoSamples& pairs, const std::optional<NoiseHistory>& history);

}  // namespace schedlab::stats
