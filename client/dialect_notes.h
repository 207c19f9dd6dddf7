#pragma once

#include <string>

#include "client/comparison_set.h"

namespace schedlab::client {

// What the layouts of other tools have no room for, as lines below their tables.

// "n: 5 runs of v3.11, 4 to 5 of v3.12".
std::string RunCountNote(const ComparisonSet& set, const SeriesList& list);
// "better: higher for files_per_sec; lower for elapsed_sec". Judged metrics only.
std::string DirectionNote(const SeriesList& list);
// Which judged metrics got worse or better, by our own verdict; or that none did.
std::string ChangedNote(const ComparisonSet& set, const SeriesList& list);

// The series of a list that share a machine, a workload with its parameters, and a policy: what is
// one table in those layouts. In order of occurrence.
std::vector<SeriesList> ScenariosOf(const SeriesList& list);

}  // namespace schedlab::client
