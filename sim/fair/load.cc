#include "sim/fair/load.h"

namespace schedlab::sim::fair {
namespace {

// What one unit of load in `queue` is part of: the load of its CPU, or what the entity of its group
// has of that. Rounded down at each level.
std::int64_t HierarchicalLoad(const CfsQueue& queue) {
  if (queue.entity == nullptr) return queue.load;
  const CfsQueue& above = *queue.entity->queue;
  return queue.entity->load * HierarchicalLoad(above) / (above.load + 1);
}

}  // namespace

std::int64_t CpuLoad(const State& state, CpuNumber cpu) { return state.Queue(cpu).root.load; }

std::int64_t TaskLoad(const State& /*state*/, const Task& task) {
  const CfsQueue& queue = *task.fair.queue;
  if (queue.entity == nullptr) return task.fair.load;
  return task.fair.load * HierarchicalLoad(queue) / (queue.load + 1);
}

std::int64_t CpuLoadPerTask(const State& state, CpuNumber cpu) {
  const std::int64_t count = state.Queue(cpu).task_count;
  return count == 0 ? 0 : CpuLoad(state, cpu) / count;
}

std::int32_t CpuTaskCount(const State& state, CpuNumber cpu) {
  return state.Queue(cpu).root.task_count;
}

bool IsBuddy(const Task& task) {
  const CfsQueue& queue = *task.fair.queue;
  return queue.last_buddy == &task.fair || queue.next_buddy == &task.fair;
}

}  // namespace schedlab::sim::fair
