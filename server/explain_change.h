#pragma once

#include <span>

#include "core/change_explanation.h"
#include "core/result.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// Revisions that are told on either side of the one that is asked for.
inline constexpr std::size_t kExplainedPointsPerSide = 10;

// Searches the series of an analysis again, and says what decides about `revision` in the one with
// this id. Alerts are left out. kNotFound: no such series; kInvalidArgument: it cannot be searched.
// A pure function.
Result<ChangeExplanation> ExplainChange(std::span<const SeriesPoints> series, SeriesId id,
                                        const RevisionRef& revision);

}  // namespace schedlab::server
