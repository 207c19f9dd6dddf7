#pragma once

#include "sim/fair/idlest.h"

namespace schedlab::sim::fair {

// The choice between the groups of a level for a task that is to start, in Linux 4.10 and later.
// Null to stay in the local one.

// By spare capacity, then by load (4.10 to 5.4).
const Group* IdlestBySpare(State& state, const Domain& domain, const Task& task,
                           const IdlestWalk& walk);
// By the types of balancing (5.5 and later).
const Group* IdlestByType(State& state, const Domain& domain, const Task& task,
                          const IdlestWalk& walk);

}  // namespace schedlab::sim::fair
