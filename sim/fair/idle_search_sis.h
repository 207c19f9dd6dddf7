#pragma once

#include "sim/fair/idle_search.h"

namespace schedlab::sim::fair {

// The search of Linux 4.9 and later: the caches of a CPU remember whether they have an idle core,
// and what a scan has cost or may cost.

// An idle CPU that shares the target's cache, else the target.
CpuNumber ScanForIdle(State& state, Task& task, const IdleSearch& search);

// `cpu` has gone idle: its cache has an idle core if all of its siblings are.
void NoteIdleCore(State& state, CpuNumber cpu);

// How many CPUs a scan may look at, from the utilisation of all CPUs of a cache; 1024 = one CPU.
std::int64_t ScanBudget(std::int64_t cpu_count, std::int64_t utilization, std::int64_t percent);

// A pass of `cpu` over the level of its cache has seen this utilisation.
void NoteCacheUtilization(State& state, CpuNumber cpu, std::int64_t utilization,
                          std::int64_t percent);

}  // namespace schedlab::sim::fair
