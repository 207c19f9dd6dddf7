#pragma once

#include <cstdint>

#include "sim/cpu_set.h"
#include "sim/fair/entity_tree.h"

namespace schedlab::sim::fair {

struct FairGroup;

// The entities of one group on one CPU.
struct CfsQueue {
  CpuNumber cpu = 0;
  FairGroup* group = nullptr;    // null for the root
  FairEntity* entity = nullptr;  // stands for it in the queue above; null for the root

  EntityTree waiting;             // without `current`
  FairEntity* current = nullptr;  // executes, or a task below it does
  std::int32_t entity_count = 0;  // waiting and current
  std::int32_t task_count = 0;    // here and in the groups below
  std::int64_t weight = 0;        // of all entities
  std::int64_t load = 0;          // sum of their PELT contributions
  std::int64_t min_vruntime = 0;
  FairEntity* last_buddy = nullptr;
  FairEntity* next_buddy = nullptr;
  FairEntity* skip_buddy = nullptr;  // has yielded

  FairAverages averages;  // of all that was queued here, and has not been since
};

}  // namespace schedlab::sim::fair
