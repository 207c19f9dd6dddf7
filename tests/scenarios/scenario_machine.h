#pragma once

#include <string>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab::scenarios {

// The lines of a scenario file that say what the machine is: topology, capacities, distances,
// costs, tick_hz and housekeeping. The topology stands before the lines that change it.
bool IsOfMachine(const std::string& word);
Status ParseMachineLine(const std::string& line, Topology& topology);

// The lines that make ParseMachineLine() build `topology`. Requires that it has a shape.
std::string MachineText(const Topology& topology);

}  // namespace schedlab::scenarios
