#pragma once

#include "sim/fair/group_load.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Brings the power of the local group of a pass up to date with what real-time and deadline tasks
// and interrupts leave of its CPUs. A newly idle pass does so only once it is out of date.
void UpdatePower(State& state, const Pass& pass);

}  // namespace schedlab::sim::fair
