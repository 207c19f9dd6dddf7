#include "sim/fair/load.h"

#include <algorithm>

#include "sim/fair/load_tracking.h"

namespace schedlab::sim::fair {
namespace {

std::int64_t QueueLoad(const State& state, const CfsQueue& queue) {
  switch (state.switches.load_view) {
    case LoadView::kPeltRunnable:
      return queue.load;
    case LoadView::kWeight:
      return queue.weight;
    case LoadView::kPeltAll:
      return AveragesNow(state, queue).load;
  }
  return 0;
}

std::int64_t EntityLoad(const State& state, const FairEntity& entity) {
  switch (state.switches.load_view) {
    case LoadView::kPeltRunnable:
      return entity.load;
    case LoadView::kWeight:
      return entity.weight;
    case LoadView::kPeltAll:
      return entity.averages.load;
  }
  return 0;
}

// The part of its CPU's load that all entities of `queue` make up together. Rounded down at each
// level.
std::int64_t HierarchicalLoad(const State& state, const CfsQueue& queue) {
  if (queue.entity == nullptr) {
    // 3.11 read a field that is never written.
    const bool is_zero = state.switches.group_task_load == GroupTaskLoad::kZeroInGroup;
    return is_zero ? 0 : QueueLoad(state, queue);
  }
  const CfsQueue& above = *queue.entity->queue;
  const std::int64_t part = EntityLoad(state, *queue.entity);
  return part * HierarchicalLoad(state, above) / (QueueLoad(state, above) + 1);
}

}  // namespace

QueueAverages ComputeAveragesPastSegment(const CfsQueue& queue, SimTime now) {
  FairAverages averages = queue.averages;
  Advance(averages, now, ActivityOf(queue));
  return AveragesIn(averages);
}

const QueueAverages& AveragesPastSegment(const CfsQueue& queue, SimTime now) {
  AveragesMemo& memo = queue.memo;
  const bool is_known = memo.at == now && memo.weight == queue.weight &&
                        memo.task_count == queue.task_count &&
                        memo.has_current == (queue.current != nullptr);
  if (is_known) return memo.averages;
  memo = {.averages = ComputeAveragesPastSegment(queue, now),
          .at = now,
          .weight = queue.weight,
          .task_count = queue.task_count,
          .has_current = queue.current != nullptr};
  return memo.averages;
}

std::int64_t CpuLoad(const State& state, CpuNumber cpu) {
  return QueueLoad(state, state.Queue(cpu).root);
}

std::int64_t TaskLoad(const State& state, const Task& task) {
  const CfsQueue& queue = *task.fair.queue;
  const std::int64_t own = EntityLoad(state, task.fair);
  if (queue.entity == nullptr) return own;
  return own * HierarchicalLoad(state, queue) / (QueueLoad(state, queue) + 1);
}

std::int64_t CpuLoadPerTask(const State& state, CpuNumber cpu) {
  const std::int64_t count = state.TaskCount(cpu);
  return count == 0 ? 0 : CpuLoad(state, cpu) / count;
}

std::int64_t CpuUtil(const State& state, CpuNumber cpu) { return AveragesOf(state, cpu).util; }

std::int64_t CpuRunnable(const State& state, CpuNumber cpu) {
  return AveragesOf(state, cpu).runnable;
}

std::int64_t TaskUtil(const Task& task) { return task.fair.averages.util; }

bool IsIdleToWakeups(const State& state, CpuNumber cpu) {
  if (state.IsIdleCpu(cpu)) return !state.machine.IsTakenOff(cpu);
  if (state.switches.sched_idle_cpus == SchedIdleCpus::kBusy) return false;
  const RunQueue& queue = state.Queue(cpu);
  if (state.TaskCount(cpu) == 0 || state.higher.runnable_count(cpu) > 0) return false;
  for (const Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) {
    if (task->attributes.policy != SchedPolicy::kIdle) return false;
  }
  return true;
}

bool IsThrottled(const Task& task) {
  for (const FairEntity* each = &task.fair; each != nullptr; each = each->parent) {
    if (each->queue->is_throttled) return true;
  }
  return false;
}

bool IsBuddy(const Task& task) {
  const CfsQueue& queue = *task.fair.queue;
  return queue.last_buddy == &task.fair || queue.next_buddy == &task.fair;
}

}  // namespace schedlab::sim::fair
