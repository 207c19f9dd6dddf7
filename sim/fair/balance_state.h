#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cpu_set.h"
#include "sim/sim_time.h"
#include "sim/task.h"

namespace schedlab::sim::fair {

// What CPUs that share a last-level cache know together.
struct CacheState {
  bool has_idle_core = false;
  // How many CPUs a scan may look at, see WakeIdleSearch::kSisUtil; all of them until a pass knows.
  std::int64_t scan_budget = std::numeric_limits<std::int64_t>::max();
};

// What the balancer and the placement of wakeups remember, beside what is in queues and domains.
struct BalanceState {
  explicit BalanceState(std::int32_t cpu_count)
      : recently_idle(cpu_count),
        idle_since(static_cast<std::size_t>(cpu_count)),
        wake_lists(static_cast<std::size_t>(cpu_count)),
        group_loads_tick(static_cast<std::size_t>(cpu_count), -1),
        caches(static_cast<std::size_t>(cpu_count)),
        scan_costs(static_cast<std::size_t>(cpu_count)),
        seen(cpu_count) {}

  CpuNumber idle_owner = kNoCpu;               // see NohzBalancer::kOwner
  std::vector<std::int32_t> idle_tick_timers;  // policy timers by CPU; empty without an owner
  CpuSet recently_idle;                        // stopped their tick since their last busy one
  SimTime node_pass_until;                     // until then a pass over nodes is under way
  std::vector<SimTime> idle_since;             // by CPU; meaningful while it is idle
  std::vector<std::vector<Task*>> wake_lists;  // by CPU, see RemoteWakeup::kWakeList
  std::vector<std::int64_t> group_loads_tick;  // by CPU, of HLoadRefresh::kBeforePull
  std::vector<CacheState> caches;              // by the first CPU of the cache
  std::vector<SimDuration> scan_costs;         // by CPU: of its idle searches, averaged
  CpuSet seen;                                 // of one search, which clears it
  // Some CPU of the machine had two tasks, see newidle_overload_check.
  bool has_overload = false;
};

}  // namespace schedlab::sim::fair
