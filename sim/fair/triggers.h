#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// When balancing passes run, beside those for CPUs without ticks.

// At each tick of a CPU that is not idle: its own periodic passes, and a kick of an idle CPU.
void BalanceAtTick(State& state, CpuNumber cpu);

// `cpu` has just run out of tasks. Returns whether it pulled some.
bool BalanceNewlyIdle(State& state, CpuNumber cpu);

// A wakeup arrived at `cpu`: the idle time that it ended, if any, is averaged.
void NoteWakeupAfterIdle(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
