#pragma once

#include "sim/fair/group_load.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// How a visit of a queue ended.
enum class PullEnd : std::uint8_t {
  kDone,
  kRestart,   // at a break: the pass is to begin anew
  kBalanced,  // the pass is to leave as if there had been nothing to do
};

struct PullOutcome {
  std::int32_t moved_count = 0;
  std::int64_t imbalance_left = 0;
  bool all_pinned = false;  // no task that was asked may run on this CPU, if any was
  bool some_pinned = false;
  PullEnd end = PullEnd::kDone;
  // What moved was so light that it counts as nothing, see PullList::kPerGroup.
  bool counts_as_failure = false;
};

// Moves tasks worth `pass.imbalance` from `busiest` to `pass.cpu`, or to another CPU of its group
// where a task may only run there. Looks at no task for an imbalance of 0.
PullOutcome Pull(State& state, Pass& pass, CpuNumber busiest);

// Moves the first task of `busiest` that may move, the running one included. Returns whether any
// did.
bool PullOneRunning(State& state, const Pass& pass, CpuNumber busiest);

}  // namespace schedlab::sim::fair
