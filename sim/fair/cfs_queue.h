#pragma once

#include <cstdint>

#include "sim/cpu_set.h"
#include "sim/fair/entity_tree.h"

namespace schedlab::sim::fair {

struct FairGroup;

__extension__ using Wide = __int128;

// What the averages of a queue come to at an instant.
struct QueueAverages {
  std::int64_t load = 0;
  std::int32_t runnable = 0;
  std::int32_t util = 0;

  friend bool operator==(const QueueAverages&, const QueueAverages&) = default;
};
inline QueueAverages AveragesIn(const FairAverages& averages) {
  return {averages.load, static_cast<std::int32_t>(averages.runnable),
          static_cast<std::int32_t>(averages.util)};
}

// The same with what it follows from beside the averages themselves. Scans of many CPUs ask again
// and again.
struct AveragesMemo {
  QueueAverages averages;
  SimTime at = kNever;  // kNever: has to be computed anew
  std::int64_t weight = 0;
  std::int32_t task_count = 0;
  bool has_current = false;
};

// The entities of one group on one CPU. What scans of all CPUs read comes first, in two cache
// lines.
struct alignas(64) CfsQueue {
  FairAverages averages;  // of all that was queued here, and has not been since
  mutable AveragesMemo memo;
  std::int64_t weight = 0;        // of all entities
  FairEntity* current = nullptr;  // executes, or a task below it does
  std::int32_t task_count = 0;    // here and in the groups below
  std::int32_t entity_count = 0;  // waiting and current

  CpuNumber cpu = 0;
  FairGroup* group = nullptr;    // null for the root
  FairEntity* entity = nullptr;  // stands for it in the queue above; null for the root

  EntityTree waiting;     // without `current`
  std::int64_t load = 0;  // sum of their PELT contributions
  std::int64_t min_vruntime = 0;
  // EEVDF, of the waiting ones: their weights, and these times their vruntimes from min_vruntime
  // on.
  std::int64_t waiting_weight = 0;
  Wide waiting_sum = 0;
  FairEntity* last_buddy = nullptr;
  FairEntity* next_buddy = nullptr;
  FairEntity* skip_buddy = nullptr;  // has yielded

  // What its group's total holds of it, and the window over which that was averaged (lazy_10ms).
  std::int64_t told_load = 0;
  std::int64_t window_sum = 0;  // weight times nanoseconds
  SimDuration window{0};
  SimTime window_updated;
  SimTime last_loaded;

  // Bandwidth: what it may still execute before it asks its group again.
  SimDuration runtime_left{0};
  std::int64_t period_number = 0;  // of its group, when it was given that
  bool is_throttled = false;
  SimTime throttled_at;
};

}  // namespace schedlab::sim::fair
