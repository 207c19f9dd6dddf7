#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/gate.h"

namespace schedlab::stats {

// What the looks that a primary cell has reached say of it.
struct ReplayedCell {
  std::size_t cell_index = 0;
  Verdict verdict = Verdict::kUndecided;
  // The smallest of the looks so far, valid at whatever look one stops.
  double p_worse = 1;
  double p_better = 1;
  double p_changed = 1;
  double adjusted_p_worse = 1;
  double adjusted_p_better = 1;
  std::int64_t look_count = 0;
  LookRuns next = {};          // of the first look that is not reached; of the last one if all are
  double history_degrees = 0;  // that its history was worth at the last look; 0 without one
};

// Goes through the looks of the plan; without one the runs as they are are the only look. At each
// look the histories are weighed, the cells tested, and Benjamini and Hochberg's procedure run over
// the p-values of all primary cells; a cell that is decided takes part with its p-value as it was.
std::vector<ReplayedCell> ReplayLooks(std::span<const GateCell> cells, const LookPlan* plan,
                                      double false_discovery_rate);

}  // namespace schedlab::stats
