#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Whether a wakeup pulls the task to the waking CPU.

// The lowest domain of the waking CPU that holds the previous CPU of `task` and attracts wakeups;
// null where none does.
Domain* AffineDomain(State& state, const Task& task, const Context& context);

// The test itself, for a task whose previous CPU is another one. Counts what it attracts.
bool IsAffine(State& state, Domain& domain, const Task& task, const Context& context);

// Whether the waking CPU is so much less loaded that the task is handed to it although it is not
// affine (2.6.31).
bool IsPassivelyBalanced(State& state, const Domain& domain, const Task& task,
                         const Context& context);

// Somebody wakes `wakee`: counts how often the task that executes on `context.cpu`, the idle task
// included, changes its wakee, which tells one-to-many wakers.
void NoteWakee(State& state, const Context& context, const Task& wakee);

}  // namespace schedlab::sim::fair
