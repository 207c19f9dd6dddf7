#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The waiting entities of a queue, in the order of the class's way to pick.

bool IsEevdf(const State& state);

void InsertWaiting(const State& state, FairEntity& entity);
void RemoveWaiting(const State& state, FairEntity& entity);

// Moves the origin of virtual time in `queue` on.
void FollowVruntime(const State& state, CfsQueue& queue);

// The lowest of the entities that execute: that of a task, or of a group whose task has just left.
// Null where none does.
FairEntity* DeepestCurrent(const CfsQueue& root);

}  // namespace schedlab::sim::fair
