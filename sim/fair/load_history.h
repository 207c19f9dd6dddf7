#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The cpu_load[] array: the load of a queue as its ticks saw it, averaged over 1, 2, 4, 8 and 16.

// At a tick of a CPU that is not idle.
void UpdateLoadHistory(State& state, CpuNumber cpu);
// Makes up for the ticks that a CPU without load left out.
void CatchUpIdleHistory(State& state, CpuNumber cpu);

// Two views of a CPU's load: low for CPUs that a task may be taken from, high for the side that it
// would go to. Index 0 is the live load, k >= 1 the history entry k - 1.
std::int64_t SourceLoad(const State& state, CpuNumber cpu, std::size_t index);
std::int64_t TargetLoad(const State& state, CpuNumber cpu, std::size_t index);

}  // namespace schedlab::sim::fair
