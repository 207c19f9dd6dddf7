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
  std::int64_t weight = 0;           // of all its entities on all CPUs
  std::vector<CfsQueue> queues;      // by CPU; addresses are stable
  std::vector<FairEntity> entities;  // by CPU
};

// The group was created or its settings have changed.
void ApplyGroup(State& state, const TaskGroup& settings);

// The queue on `cpu` that `task` belongs to.
CfsQueue& QueueOf(State& state, const Task& task, CpuNumber cpu);

// Gives `entity` another weight, in the books of its queue too.
void ChangeWeight(FairEntity& entity, std::int64_t weight);

// Gives the entity of a group's queue its part of the group's shares: that of the queue in the
// weight of the group.
void UpdateShares(CfsQueue& queue);

}  // namespace schedlab::sim::fair
