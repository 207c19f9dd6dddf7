#pragma once

#include <string>

#include "client/comparison_set.h"

namespace schedlab::client {

// A table in the 0day layout for each scenario, and for each baseline where there are several.
std::string RenderLkpComparison(const ComparisonSet& set, const SeriesList& list);

}  // namespace schedlab::client
