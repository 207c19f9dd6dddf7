#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

struct PassRequest {
  CpuNumber by = 0;   // who executes the pass, and pays for it
  CpuNumber cpu = 0;  // on whose behalf
  std::size_t level = 0;
  IdleType idle = IdleType::kIdle;
};

struct PassOutcome {
  std::int32_t moved_count = 0;
  bool may_climb = true;  // false: this CPU was not the one elected to balance this level
  // Also where nothing moved, see newidle_smt_early_stop: the caller takes the CPU for busy.
  bool counts_as_pull = false;
};

// One balancing pass: election, statistics, choice of a queue, pull, and what follows from failure.
PassOutcome RunPass(State& state, const PassRequest& request);

// The pushing half of an active balance: moves one task of `cpu`, even the one that was running, to
// the CPU that asked for it. Returns whether one moved.
bool PushOneTask(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
