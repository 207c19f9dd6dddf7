#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// How much CPU time a task uses between two wakeups of others, which Linux 2.6.31 to 2.6.34 took
// for its granularity. CPU times are those of the last account, as in the kernel.

// The task that executes on `context.cpu`, if it is one, has woken another.
void NoteWakeupBy(State& state, const Context& context);
void NoteWokenUp(Task& task);
// A task that sleeps without having woken anybody is a rare waker.
void NoteWakerSleep(const State& state, Task& task);

}  // namespace schedlab::sim::fair
