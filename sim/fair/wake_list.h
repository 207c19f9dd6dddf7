#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Tasks that were woken for a CPU under another cache: that CPU queues them itself, in order, once
// an interrupt has told it of the first.

// Whether a task that `by` wakes for `cpu` goes that way.
bool GoesToWakeList(const State& state, CpuNumber by, CpuNumber cpu);
void PutOnWakeList(State& state, CpuNumber cpu, Task& task, CpuNumber by);
// The tasks of the list, which is empty then, at the cost of one lock of the queue.
std::vector<Task*> TakeWakeList(State& state, CpuNumber cpu);
// Returns whether the task was on a list.
bool RemoveFromWakeList(State& state, Task& task);

// The locks that the waker takes beside that of a queue under its own cache.
void ChargeWakeupLocks(State& state, CpuNumber by, CpuNumber previous, CpuNumber cpu);

}  // namespace schedlab::sim::fair
