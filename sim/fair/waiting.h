#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The waiting entities of a queue, in the order of the class's way to pick.

inline bool IsEevdf(const State& state) { return state.switches.pick == Pick::kEevdf; }

void InsertWaiting(const State& state, FairEntity& entity);
void RemoveWaiting(const State& state, FairEntity& entity);

// Moves the origin of virtual time in `queue` on.
void FollowVruntime(const State& state, CfsQueue& queue);

// The lowest of the entities that execute: that of a task, or of a group whose task has just left.
// Null where none does.
inline FairEntity* DeepestCurrent(const CfsQueue& root) {
  FairEntity* deepest = root.current;
  while (deepest != nullptr && deepest->own != nullptr && deepest->own->current != nullptr) {
    deepest = deepest->own->current;
  }
  return deepest;
}

}  // namespace schedlab::sim::fair
