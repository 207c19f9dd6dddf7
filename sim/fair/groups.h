#pragma once

#include <cstdint>
#include <vector>

#include "sim/fair/cfs_queue.h"
#include "sim/task.h"
#include "sim/task_group.h"

namespace schedlab::sim::fair {

struct State;

// A group of tasks as the fair class sees it: on each CPU a queue, and an entity that stands for
// it in the queue above. The root has none of its own: its queues are those of the CPUs.
struct FairGroup {
  FairGroup* parent = nullptr;  // null for the root and for groups directly below it
  std::int64_t shares = 1024;
  std::vector<CfsQueue> queues;      // by CPU; addresses are stable
  std::vector<FairEntity> entities;  // by CPU

  std::int64_t load_total = 0;  // of what its queues have told it, see CfsQueue::told_load
  SimTime shares_updated;       // rate_limited

  // Bandwidth: what is left of the quota in this period, for all CPUs.
  SimDuration quota{0};  // 0 = unlimited
  SimDuration period{0};
  SimDuration runtime_left{0};
  std::int64_t period_number = 0;
  bool is_idle = true;  // nobody has asked for runtime in this period
  std::int32_t period_timer = -1;
  std::int32_t slack_timer = -1;
  std::vector<CfsQueue*> throttled;  // in the order in which they ran out
  SimDuration throttled_time{0};
  std::int64_t throttle_count = 0;
};

// The group was created or its settings have changed.
void ApplyGroup(State& state, const TaskGroup& settings);

// The queue on `cpu` that `task` belongs to: of its group, or of its session where autogroup is on.
CfsQueue& QueueOf(State& state, const Task& task, CpuNumber cpu);

// Gives the entity of a group's queue its part of the group's shares, by the switch group_shares.
// Requires: what the queue has been doing is tracked.
void UpdateShares(State& state, CfsQueue& queue);

// The load of the group of `queue` on all CPUs, as far as it is known, with what `queue` has now.
// Requires: it is not the root's.
std::int64_t GroupLoadSeenFrom(const State& state, const CfsQueue& queue);

// The weight of `queue` is about to change.
void NoteWeightChange(State& state, CfsQueue& queue);

// `cpu` has gone offline, and its queues are empty.
void NoteOffline(State& state, CpuNumber cpu);

// What a balancing pass does before it looks at the loads of `cpu`: tells the groups the loads of
// their queues there, however small the change.
void RefreshShares(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
