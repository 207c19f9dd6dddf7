#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

// The runs of both sides that came with one round.
struct SequentialRound {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

struct SequentialDesign {
  double significance = 0.05;     // one-sided, over all looks
  double smallest_effect_sd = 1;  // what is smaller is given up
  double power = 0.999;           // of a fixed sample of the most runs for the smallest effect
  double extra_variance = 0;      // noise known from elsewhere ...
  double extra_degrees = 0;       // ... and what it is worth
  double minimum_shift = 0;       // a difference below it is not accepted
};

enum class SequentialOutcome { kContinue, kDiffers, kDoesNotDiffer };

struct SequentialResult {
  SequentialOutcome outcome = SequentialOutcome::kContinue;
  double shift = 0;  // candidate - baseline, by all rounds up to the decision
  double standard_error = 0;
  double stddev = 0;  // of a run
  double degrees_of_freedom = 0;
  std::int64_t side_count = 0;       // runs of the smaller side
  std::int64_t most_side_count = 0;  // of the design
};

// Is the candidate higher? Student's t with pooled variance at looks that lie at ends of rounds, of
// about geometric distance; the significance is spent with the runs (Lan and DeMets 1983).
// Gives up early where the smallest effect is excluded at 99.9 %, and at the design's last run.
// The order of runs within a round is of no account, and later rounds do not change a decision.
SequentialResult TestSequentially(std::span<const SequentialRound> rounds,
                                  const SequentialDesign& design);

// The runs a side at which a design ends. At least 3, at most kMostSequentialRuns.
std::int64_t MostRunsASide(const SequentialDesign& design);
inline constexpr std::int64_t kMostSequentialRuns = 400;

// One-sided critical values of a standard normal at looks of the given fractions of all information
// (rising, the last at most 1), when `significance` is spent with it.
std::vector<double> SpendingBounds(std::span<const double> fractions, double significance);

}  // namespace schedlab::stats
