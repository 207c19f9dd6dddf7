#pragma once

#include <cstdint>
#include <vector>

#include "core/disturbance.h"
#include "core/topology.h"
#include "sim/sim_time.h"

namespace schedlab::properties {

// Of 1 to 64 CPUs, most of at most 16; nested levels, threads, slow CPUs, nodes at any distance,
// with costs or without.
Topology AnyTopology(std::uint64_t seed);

// CPUs go and come until `end`, when all are back.
std::vector<HotplugEvent> AnyHotplug(std::uint64_t seed, std::int32_t cpu_count,
                                     sim::SimDuration end);

// At most half of the time of a CPU.
std::vector<IrqSource> AnyIrqSources(std::uint64_t seed, std::int32_t cpu_count);

}  // namespace schedlab::properties
