#pragma once

#include <cstdint>

#include "sim/fair/switches.h"
#include "sim/sim_time.h"

namespace schedlab::sim::fair {

// Time constants of the fair class, scaled to the machine.
struct Tunables {
  SimDuration latency{0};
  SimDuration min_granularity{0};
  SimDuration wakeup_granularity{0};
  std::int32_t latency_task_count = 8;
  SimDuration migration_cost{500'000};  // not scaled
};

inline constexpr std::int32_t kMaxTasksPerPull = 32;
inline constexpr std::int64_t kWeightOfNice0 = 1024;

Tunables MakeTunables(TunableScaling scaling, std::int32_t cpu_count);

// The load weight of a nice value. Requires: -20 <= nice <= 19.
std::int64_t WeightOf(std::int32_t nice);

}  // namespace schedlab::sim::fair
