#pragma once

#include <span>
#include <vector>

#include "core/comparison.h"
#include "core/result.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// The gate: a row for every series that both sides have samples of, headline metrics first, then
// counters, each by topology, workload and metric. Headline rows are judged together, with the
// false-discovery rate held at kFalseDiscoveryRate. Pairs are
// the samples of one seed, and others are left out; kFailedPrecondition names a series whose sides
// have no seed in common, kInvalidArgument one that cannot be compared. A pure function.
Result<std::vector<ComparisonRow>> JudgePairs(std::span<const SeriesPair> pairs, bool is_paired);

}  // namespace schedlab::server
