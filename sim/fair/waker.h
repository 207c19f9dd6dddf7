#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// What Linux 2.6.31 to 2.6.34 knew of a task as a waker. The CPU times are those of its last
// account, as in the kernel.

// The task that executes on `context.cpu`, if it is one, has woken another.
void NoteWakeupBy(State& state, const Context& context);
// A task wakes up, goes to sleep, or ends its turn although it could go on.
void NoteWokenUp(Task& task);
void NoteSleep(const State& state, Task& task);
void NoteTurnEnded(const State& state, Task& task);

}  // namespace schedlab::sim::fair
