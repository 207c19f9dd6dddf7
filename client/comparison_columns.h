#pragma once

#include <string>

#include "client/comparison_set.h"
#include "client/grid.h"

namespace schedlab::client {

// Many revisions: a line for each revision of each series, the baseline first, with the change
// against it; then a column for each further baseline.
Grid RevisionGrid(const ComparisonSet& set, const SeriesList& list);

// Every revision with its label, and what the columns mean.
std::string RenderSetHead(const ComparisonSet& set);

// For programs, at full precision: a record for each series and pair of revisions.
Grid PairRecords(const ComparisonSet& set);
// A record for each run of each series.
Grid SampleRecords(const ComparisonSet& set);

// Every run of each series, a line a revision.
std::string RenderSamples(const ComparisonSet& set, const SeriesList& list);

}  // namespace schedlab::client
