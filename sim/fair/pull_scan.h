#pragma once

#include <cstdint>
#include <vector>

#include "sim/fair/group_load.h"
#include "sim/fair/pull.h"

namespace schedlab::sim::fair {

// One visit of a queue: what may be taken from it, what was, and how long its lock is held.
struct Scan {
  State& state;
  Pass& pass;
  CpuNumber busiest;
  CpuNumber destination;
  PullOutcome outcome{};
  CpuNumber alternative = kNoCpu;  // another CPU of the group, for a task that may not come here
  std::int32_t bound = 0;          // tasks to look at
  std::int32_t looked_at = 0;      // since the lock was taken
  std::int32_t moved_count = 0;    // likewise
  std::int32_t group_count = 0;    // groups whose part of the load was computed under the lock
  std::vector<const CfsQueue*> known_queues{};  // whose part is known, see HLoadRefresh::kPerTask
  std::vector<std::int64_t> holds_ns{};         // one for each time that the lock was taken
  std::int64_t attach_ns = 0;                   // of moves, where the two locks are taken in turn
};

// Whether the task is allowed here, not running, and not to be spared for its cache.
bool CanMove(Scan& scan, const Task& task);
void Move(Scan& scan, Task& task);

// What the pull remembers about the load of groups is brought up to date.
void RefreshGroupLoads(Scan& scan);
void RefreshGroupLoadOf(Scan& scan, const Task& task);

// The lock is released: its hold is noted, and the counts of the next begin.
void EndHold(Scan& scan);
// Charges the holds since the last call to who executes the pass.
void ChargeHolds(Scan& scan);

}  // namespace schedlab::sim::fair
