#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// On which CPU a task becomes runnable.

CpuNumber SelectCpuForWakeup(State& state, Task& task, const Context& context);

// The idlest CPU of the idlest group, level by level (fork balancing).
CpuNumber SelectCpuForNew(State& state, const Task& task, const Context& context);

// Somebody wakes `wakee`: counts how often the task that executes on `context.cpu`, the idle task
// included, changes its wakee, which tells one-to-many wakers.
void NoteWakee(State& state, const Context& context, const Task& wakee);

}  // namespace schedlab::sim::fair
