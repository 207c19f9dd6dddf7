#pragma once

#include "sim/fair/pelt.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Keeps the PELT loads of entities and queues: every change of what is queued or executes is
// preceded by Track().

// What `queue` has been doing since its last change.
Activity ActivityOf(const CfsQueue& queue);

// Brings the averages of `queue` up to now.
void TrackQueue(State& state, CfsQueue& queue);

// Brings the loads of `entity` and of its queue up to now.
void Track(State& state, FairEntity& entity);
// The same for a task and all groups above it.
void TrackUpwards(State& state, FairEntity& entity);

// What `task` has used so far belongs to the CPU of `queue` from now on; or to none.
void CountIn(State& state, CfsQueue& queue, Task& task);
void CountNowhere(State& state, Task& task);

// Gives a task that is not queued another weight.
void SetTaskWeight(State& state, Task& task, std::int64_t weight);

// The first load of a task that is to join `queue`, of a slice of time.
void TrackNew(State& state, const CfsQueue& queue, Task& task, SimDuration slice);

}  // namespace schedlab::sim::fair
