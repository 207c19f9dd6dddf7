#pragma once

#include <cstdint>
#include <optional>

#include "stats/comparison.h"
#include "stats/outlying_runs.h"
#include "stats/variance_history.h"

namespace schedlab::stats {

// So many runs of each side.
struct RunCounts {
  std::int64_t baseline = 0;
  std::int64_t candidate = 0;

  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

// The runs of a cell that one look counts: from the first on, so many of each side.
struct LookRuns {
  RunCounts used;
  RunCounts missing;  // none if the look is reached
  OutlyingRuns outlying;

  bool is_reached() const { return missing == RunCounts{}; }
};

// The fewest runs with `planned` on each side beside those that are outlying. At most a quarter of
// the planned runs, rounded up, are repeated: where more stand apart, that is the metric's noise.
// A side may be empty. Requires: finite samples, sides of equal count if paired; planned >= 1.
LookRuns RunsForLook(const ComparisonInput& cell, std::int64_t planned);

// All runs as they are.
LookRuns AllRuns(const ComparisonInput& cell);

// The first runs of a cell alone. Requires: not more than there are, and one of each side.
ComparisonInput Truncate(const ComparisonInput& cell, const RunCounts& counts);

// The noise of the runs on the scale beside the history that applies to it. Absent without a
// history or without a degree of freedom in the runs.
std::optional<HistoryCheck> CheckHistory(const ComparisonInput& cell);

// The p-values of one look at a cell.
struct LookTest {
  double p_worse = 1;    // of "not worse by more than the minimum effect"
  double p_better = 1;   // likewise
  double p_changed = 1;  // of "not within the minimum effect": the larger of its two one-sided ones
};

// By t tests that the rank test guards at `level` (the equivalence: at (1 - confidence_level) / 2).
// All are 1 where the noise is unknown, and 0 or 1 where there is none.
LookTest TestLook(const ComparisonInput& cell, double level);

}  // namespace schedlab::stats
