#pragma once

#include <cstdint>
#include <optional>

#include "stats/comparison.h"

namespace schedlab::stats {

// How many more runs a side would decide a comparison with 90 % power, if change and noise are as
// measured, where worse and better are tested at `significance`: 1 to kMostPlannedRuns. Absent if
// the noise is unknown. Requires: significance in (0, 0.5); history_degrees is what a history was
// worth in it, 0 without.
std::optional<std::int64_t> MoreRunsNeeded(const Comparison& comparison, double significance,
                                           double history_degrees);

}  // namespace schedlab::stats
