#pragma once

#include <cstdint>

#include "core/sched_attributes.h"
#include "sim/fair/switches.h"
#include "sim/sim_time.h"

namespace schedlab::sim::fair {

// Time constants of the fair class, scaled to the machine.
struct Tunables {
  SimDuration latency{0};
  SimDuration min_granularity{0};
  SimDuration wakeup_granularity{0};
  SimDuration base_slice{0};  // EEVDF
  std::int32_t latency_task_count = 8;
  SimDuration migration_cost{500'000};  // not scaled
  std::int64_t scaling_factor = 1;
};

inline constexpr std::int32_t kMaxTasksPerPull = 32;
inline constexpr std::int64_t kWeightOfNice0 = 1024;
inline constexpr std::int64_t kWeightOfIdlePolicy = 3;

Tunables MakeTunables(const Switches& switches, std::int32_t cpu_count);

// The length of a request that a task asks for itself, 0 where it does not or cannot.
SimDuration OwnSliceOf(const Switches& switches, const SchedAttributes& attributes);

// The load weight of a nice value. Requires: -20 <= nice <= 19.
std::int64_t WeightOf(std::int32_t nice);

}  // namespace schedlab::sim::fair
