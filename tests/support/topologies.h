#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/topology.h"

namespace schedlab::testing {

// A machine of `shape` whose kernel work costs nothing and whose CPUs nobody wakes.
inline Topology FreeTopology(std::string_view shape) {
  Topology topology;
  topology.name = "free";
  topology.cpus = CpusFromShape(shape).value();
  topology.housekeeping_period_ns = 0;
  std::size_t node_count = 0;
  for (const Cpu& cpu : topology.cpus) {
    node_count = std::max(node_count, static_cast<std::size_t>(cpu.node) + 1);
  }
  topology.node_distances.assign(node_count, std::vector<std::int32_t>(node_count, 20));
  for (std::size_t node = 0; node < node_count; ++node) topology.node_distances[node][node] = 10;
  return topology;
}

}  // namespace schedlab::testing
