#pragma once

#include <span>
#include <vector>

#include "server/store/analysis_store.h"

namespace schedlab::server {

// Makes alerts of the regressions among `change_points`, which are parallel to `series`: one for
// each set of regressions of a project and policy, and of different series, whose intervals have a
// revision in common. Variants are no other commits. A cell has recovered where a later improvement
// of its series brings the level back to within the metric's minimum effect, or a quarter of the
// step. What got better within the interval are cells too, after those that got worse. Cells are
// ordered by the size of their effect, and name no counters yet. Unchanged cells are of the same
// policy: the metrics and workloads that the change touched elsewhere come first. One is unchanged
// where the interval of its change lies within the minimum effect. A pure function.
std::vector<Alert> GroupAlerts(std::span<const SeriesPoints> series,
                               std::span<const SeriesChangePoints> change_points);

}  // namespace schedlab::server
