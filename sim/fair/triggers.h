#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// When balancing passes run.

// At each tick of a CPU that is not idle: its own periodic passes, and a kick of an idle CPU.
void BalanceAtTick(State& state, CpuNumber cpu);

// `cpu` was kicked: it balances for itself and then for every other idle CPU.
void BalanceForIdleCpus(State& state, CpuNumber cpu);

// `cpu` has just run out of tasks. Returns whether it pulled some.
bool BalanceNewlyIdle(State& state, CpuNumber cpu);

// A wakeup arrived at `cpu`: the idle time that it ended, if any, is averaged.
void NoteWakeupAfterIdle(State& state, CpuNumber cpu);

// `cpu` stops its tick; it starts again with the next task, but `cpu` counts as tickless until its
// next tick.
void MarkTickless(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
