#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The walk down from the highest level of `cpu` that takes part, to the idlest CPU of the idlest
// group. Every look at a queue is at the expense of `by`.
enum class WalkReason : std::uint8_t { kNewTask, kWakeup };
struct IdlestWalk {
  CpuNumber cpu = 0;
  CpuNumber by = 0;
  WalkReason reason = WalkReason::kNewTask;
};

// kNoCpu where no level has a better one than `cpu`.
CpuNumber FindIdlest(State& state, const Task& task, const IdlestWalk& walk);

}  // namespace schedlab::sim::fair
