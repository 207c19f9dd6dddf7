#pragma once

#include <string>

#include "core/topology.h"

namespace schedlab::client {

// "16 CPUs, 16 packages, 1 NUMA node, tick 250 Hz; one guest with 16 sockets".
std::string MachineInWords(const Topology& topology);

}  // namespace schedlab::client
