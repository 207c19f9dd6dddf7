#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// CPUs without ticks, and who balances for them.

// `cpu` stops its tick, unless it is to balance for all that have; the tick starts again with the
// next task. Kicked balancers take `cpu` for tickless until its next busy tick.
void MarkTickless(State& state, CpuNumber cpu);
// `cpu` has got a task.
void NoteIdleEnd(State& state, CpuNumber cpu);
// At a tick of a CPU that is not idle: it is tickless no more, and may see to it that somebody
// balances for those that are.
void NoteBusyTick(State& state, CpuNumber cpu);

// The periodic passes of `cpu` that are due, lowest level first, executed by `by`.
void RunDuePasses(State& state, CpuNumber by, CpuNumber cpu, IdleType idle);

// Another CPU has asked `cpu` to balance for itself and for every other idle CPU.
void BalanceForIdleCpus(State& state, CpuNumber cpu);

// A policy timer has fired on `cpu`. Returns whether it was the tick of an idle balancer.
bool HandleIdleTick(State& state, CpuNumber cpu, std::int32_t timer);

}  // namespace schedlab::sim::fair
