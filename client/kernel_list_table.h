#pragma once

#include <map>
#include <string>

#include "client/comparison_set.h"

namespace schedlab::client {

// The layout of benchmark mails to the kernel's list: machines, kernels, then for each metric a
// block whose cases are the machines, with values normalized to the baseline.
// `machines` has a line of words for each topology.
std::string RenderKernelList(const ComparisonSet& set, const SeriesList& list,
                             const std::map<std::string, std::string>& machines);

}  // namespace schedlab::client
