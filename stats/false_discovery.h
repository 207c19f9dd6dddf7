#pragma once

#include <span>
#include <vector>

namespace schedlab::stats {

// Benjamini-Hochberg: the smallest false-discovery rate at which each hypothesis is rejected, in
// the order of the p-values. Requires: every p-value in [0, 1].
std::vector<double> AdjustForFalseDiscovery(std::span<const double> p_values);

}  // namespace schedlab::stats
