#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// Where a wakeup looks for an idle CPU. Every look at a queue is at the expense of `by`.

struct IdleSearch {
  CpuNumber target = 0;  // where the task would go otherwise
  CpuNumber by = 0;      // the waking CPU
};

// Looks at a CPU. Idle means to a wakeup, see IsIdleToWakeups().
bool ProbeIsIdle(State& state, CpuNumber by, CpuNumber cpu);
bool SharesCache(const State& state, CpuNumber a, CpuNumber b);
// The level of `target` where the search for an idle CPU near it begins; -1 for nowhere.
int SearchLevel(const State& state, CpuNumber target);

// An idle CPU near the target, else the target.
CpuNumber FindIdleNear(State& state, Task& task, const IdleSearch& search);

// Searches that come before the affine test: up the levels of the waking CPU.
bool SearchesWhileClimbing(WakeIdleSearch search);
struct Climb {
  CpuNumber target = 0;      // the waking CPU unless an idle one was found
  Domain* affine = nullptr;  // that the affine test is to be asked about; null: the task stays
};
Climb FindIdleClimbing(State& state, const Task& task, CpuNumber by);

// The CPU of the machine that has been idle longest and is allowed, the previous one if it is idle;
// kNoCpu where none is.
CpuNumber LongestIdle(State& state, const Task& task, CpuNumber by);

}  // namespace schedlab::sim::fair
