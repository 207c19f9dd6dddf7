#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// On which CPU a task becomes runnable.

CpuNumber SelectCpuForWakeup(State& state, Task& task, const Context& context);

// The idlest CPU of the idlest group, level by level (fork and exec balancing).
CpuNumber SelectCpuForNew(State& state, const Task& task, const Context& context);

}  // namespace schedlab::sim::fair
