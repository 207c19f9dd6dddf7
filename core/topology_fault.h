#pragma once

#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab {

// What Validate() refuses first, and the member of Topology or of its CostTable that it is about.
struct TopologyFault {
  std::string_view member;
  Error error;
};
std::optional<TopologyFault> FindFault(const Topology& topology);

}  // namespace schedlab
