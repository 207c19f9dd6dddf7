#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// How long tasks go on running after they have woken another: kept up to date only where a rule
// reads it, see WakeAffineRule::kOverlapSync.

// The task that executes on `cpu` wakes another.
void NoteWakingBy(State& state, CpuNumber cpu);
// `cpu` is about to choose a task while the one that it executes is runnable.
void NoteStillRunnable(State& state, CpuNumber cpu);
void NoteSleep(State& state, Task& task);

// 0 for a task that has never run on after a wakeup.
SimDuration AverageOverlap(const State& state, const Task& task);

}  // namespace schedlab::sim::fair
