#pragma once

#include "sim/fair/load.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The cpu_load[] array: the load of a queue as its ticks saw it, averaged over 1, 2, 4, 8 and 16.

// At a tick of a CPU that is not idle.
void UpdateLoadHistory(State& state, CpuNumber cpu);
// Makes up for the ticks that a CPU without load left out.
void CatchUpIdleHistory(State& state, CpuNumber cpu);

// What a comparison reads: entry `history - 1` of a CPU's load history, or its live load for 0; and
// how much more, in percent, the side must carry that a task would go to, where the margin is in
// the loads themselves (BiasMode::kPctOnTarget).
struct LoadReading {
  std::size_t history = 0;
  std::int64_t target_percent = 100;
};

// Two views of a CPU's load: low for CPUs that a task may be taken from, high for the side that it
// would go to.
// `live` is CpuLoad(), for callers that know it.
std::int64_t SourceLoad(const State& state, CpuNumber cpu, const LoadReading& reading,
                        std::int64_t live);
std::int64_t TargetLoad(const State& state, CpuNumber cpu, const LoadReading& reading,
                        std::int64_t live);
inline std::int64_t SourceLoad(const State& state, CpuNumber cpu, const LoadReading& reading) {
  return SourceLoad(state, cpu, reading, CpuLoad(state, cpu));
}
inline std::int64_t TargetLoad(const State& state, CpuNumber cpu, const LoadReading& reading) {
  return TargetLoad(state, cpu, reading, CpuLoad(state, cpu));
}

}  // namespace schedlab::sim::fair
