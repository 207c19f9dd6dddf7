#pragma once

#include <vector>

#include "core/comparison.h"
#include "core/series.h"
#include "stats/comparison.h"
#include "stats/gate.h"

namespace schedlab::server {

Verdict ToVerdict(stats::Verdict verdict);

// The samples of both sides, in order of repetition.
struct Sides {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// What a comparison of the sides says, without a verdict.
ComparisonRow RowOf(const Series& series, const Sides& sides, const stats::Comparison& comparison);

}  // namespace schedlab::server
