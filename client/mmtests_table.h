#pragma once

#include <string>

#include "client/comparison_set.h"

namespace schedlab::client {

// The layout of mmtests' compare-kernels: a table for each scenario with a column for every
// revision, statistics of the judged metrics in rows, and counters as "Ops" lines below.
std::string RenderMmtests(const ComparisonSet& set, const SeriesList& list);

// Its ratio report: the mean over the baseline's, the percent, and the difference in standard
// deviations of the baseline's runs; then means of those over the metrics.
std::string RenderMmtestsRatios(const ComparisonSet& set, const SeriesList& list);

}  // namespace schedlab::client
