#pragma once

#include <cstdint>

#include "sim/fair/group_load.h"

namespace schedlab::sim::fair {

// The family of rules that compares average loads: Linux 2.6.31 to 3.16.

// Whether the measured loads call for no move.
bool IsBalanced(const State& state, const Pass& pass, const DomainLoad& loads);

// How much load to move where they do call for one, 0 where nothing can be gained.
std::int64_t ImbalanceOf(const State& state, const Pass& pass, const DomainLoad& measured);

}  // namespace schedlab::sim::fair
