#pragma once

#include <string>
#include <string_view>

#include "core/topology.h"

namespace schedlab::client {

// A machine in full: its levels, distances, capacities and settings, and what everything costs.
// `text` is the catalog's file of it, whose remarks say where each number comes from.
std::string RenderTopology(const Topology& topology, std::string_view text);

}  // namespace schedlab::client
