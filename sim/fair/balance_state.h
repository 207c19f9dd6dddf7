#pragma once

#include <cstdint>
#include <vector>

#include "sim/cpu_set.h"
#include "sim/sim_time.h"
#include "sim/task.h"

namespace schedlab::sim::fair {

// What the balancer and the placement of wakeups remember, beside what is in queues and domains.
struct BalanceState {
  explicit BalanceState(std::int32_t cpu_count)
      : recently_idle(cpu_count),
        idle_since(static_cast<std::size_t>(cpu_count)),
        wake_lists(static_cast<std::size_t>(cpu_count)),
        group_loads_tick(static_cast<std::size_t>(cpu_count), -1) {}

  CpuNumber idle_owner = kNoCpu;               // see NohzBalancer::kOwner
  std::vector<std::int32_t> idle_tick_timers;  // policy timers by CPU; empty without an owner
  CpuSet recently_idle;                        // stopped their tick since their last busy one
  SimTime node_pass_until;                     // until then a pass over nodes is under way
  std::vector<SimTime> idle_since;             // by CPU; meaningful while it is idle
  std::vector<std::vector<Task*>> wake_lists;  // by CPU, see RemoteWakeup::kWakeList
  std::vector<std::int64_t> group_loads_tick;  // by CPU, of HLoadRefresh::kBeforePull
};

}  // namespace schedlab::sim::fair
