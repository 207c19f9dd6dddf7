#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/topology.h"

namespace schedlab::ingest {

inline std::int32_t CountOf(const Topology& topology, std::int32_t Cpu::*index) {
  std::int32_t count = 0;
  for (const Cpu& cpu : topology.cpus) count = std::max(count, cpu.*index + 1);
  return count;
}

// "2 nodes, 2 packages, 2 llcs, 4 clusters, 8 cores, 16 cpus".
inline std::string CountsOf(const Topology& topology) {
  return fmt::format("{} nodes, {} packages, {} llcs, {} clusters, {} cores, {} cpus",
                     CountOf(topology, &Cpu::node), CountOf(topology, &Cpu::package),
                     CountOf(topology, &Cpu::llc), CountOf(topology, &Cpu::cluster),
                     CountOf(topology, &Cpu::core), topology.cpus.size());
}

}  // namespace schedlab::ingest
