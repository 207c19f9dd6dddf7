#include "sim/fair/queueing.h"

#include <algorithm>

#include "core/check.h"
#include "sim/fair/pelt.h"

namespace schedlab::sim::fair {
namespace {

std::int64_t ToVirtual(SimDuration real, std::int64_t weight) {
  if (weight == kWeightOfNice0) return real.count();
  return real.count() * kWeightOfNice0 / weight;
}

void UpdateMinVruntime(RunQueue& queue) {
  std::int64_t least = queue.min_vruntime;
  if (queue.current != nullptr) least = queue.current->fair.vruntime;
  if (!queue.waiting.empty()) {
    const std::int64_t leftmost = queue.waiting.back().vruntime;
    least = queue.current != nullptr ? std::min(least, leftmost) : leftmost;
  }
  queue.min_vruntime = std::max(queue.min_vruntime, least);
}

// The share of one latency period that is due to `task`, which counts as queued.
SimDuration SliceOf(const State& state, const RunQueue& queue, const Task& task, bool is_queued) {
  const std::int64_t count = queue.task_count + (is_queued ? 0 : 1);
  const std::int64_t weight = queue.weight + (is_queued ? 0 : task.fair.weight);
  const SimDuration period = count <= state.tunables.latency_task_count
                                 ? state.tunables.latency
                                 : state.tunables.min_granularity * count;
  return SimDuration(period.count() * task.fair.weight / weight);
}

// 1: `candidate` is behind `current` by more than the wakeup granularity; -1: it is not behind.
int CompareForPreemption(const State& state, const Task& current, const Task& candidate) {
  const std::int64_t difference = current.fair.vruntime - candidate.fair.vruntime;
  if (difference <= 0) return -1;
  return difference > ToVirtual(state.tunables.wakeup_granularity, candidate.fair.weight) ? 1 : 0;
}

void ClearBuddies(RunQueue& queue, const Task& task) {
  if (queue.last_buddy == &task) queue.last_buddy = nullptr;
  if (queue.next_buddy == &task) queue.next_buddy = nullptr;
  if (queue.skip_buddy == &task) queue.skip_buddy = nullptr;
}

void AddLoad(RunQueue& queue, Task& task) {
  ++queue.task_count;
  queue.weight += task.fair.weight;
  queue.load += task.fair.load;
  ListPushFront(queue, task);
}

void RemoveLoad(RunQueue& queue, Task& task) {
  --queue.task_count;
  queue.weight -= task.fair.weight;
  queue.load -= task.fair.load;
  ListRemove(queue, task);
}

// A sleeper may start at most half a latency period before the others.
void PlaceWoken(const State& state, const RunQueue& queue, FairEntity& entity) {
  const std::int64_t credit = Ns(state.tunables.latency) / 2;
  entity.vruntime = std::max(entity.vruntime, queue.min_vruntime - credit);
}

}  // namespace

State::State(Machine& the_machine, const Switches& the_switches)
    : machine(the_machine),
      switches(the_switches),
      tunables(MakeTunables(the_switches.tunable_scaling, the_machine.cpu_count())),
      domains(the_machine),
      queues(static_cast<std::size_t>(the_machine.cpu_count())),
      higher(the_machine, the_switches.capacity_model),
      tickless(the_machine.cpu_count()) {
  for (RunQueue& queue : queues) {
    queue.max_newidle_cost = tunables.migration_cost;
    queue.average_idle = 2 * tunables.migration_cost;
  }
}

void UpdateCurrent(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  if (queue.current == nullptr) return;
  FairEntity& entity = queue.current->fair;
  const SimDuration ran = state.machine.now() - entity.exec_start;
  if (ran <= SimDuration{0}) return;
  entity.exec_start = state.machine.now();
  entity.sum_exec += ran;
  entity.vruntime += ToVirtual(ran, entity.weight);
  UpdateMinVruntime(queue);
}

void UpdateQueuedLoad(State& state, CpuNumber cpu, Task& task) {
  const std::int64_t before = task.fair.load;
  UpdateAverages(task.fair, state.machine.now(), true);
  state.Queue(cpu).load += task.fair.load - before;
}

void Enqueue(State& state, CpuNumber cpu, Task& task, Arrival arrival) {
  RunQueue& queue = state.Queue(cpu);
  task.cpu = cpu;
  task.fair.vruntime += queue.min_vruntime;
  UpdateCurrent(state, cpu);
  if (arrival == Arrival::kWoken) {
    UpdateAverages(task.fair, state.machine.now(), false);
    PlaceWoken(state, queue, task.fair);
  }
  AddLoad(queue, task);
  InsertWaiting(queue, task, state.next_queue_sequence++);
}

void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure) {
  RunQueue& queue = state.Queue(cpu);
  UpdateCurrent(state, cpu);
  UpdateQueuedLoad(state, cpu, task);
  ClearBuddies(queue, task);
  if (queue.current != &task) RemoveWaiting(queue, task);
  RemoveLoad(queue, task);
  if (departure == Departure::kMoved) task.fair.vruntime -= queue.min_vruntime;
  UpdateMinVruntime(queue);
  if (queue.current == &task) queue.current = nullptr;
}

void DetachVruntime(State& state, Task& task) {
  task.fair.vruntime -= state.Queue(task.cpu).min_vruntime;
}

void PlaceNew(State& state, CpuNumber cpu, Task& task) {
  UpdateCurrent(state, cpu);
  RunQueue& queue = state.Queue(cpu);
  const SimDuration slice = SliceOf(state, queue, task, false);
  InitAverages(task.fair, state.machine.now(), slice);
  task.fair.exec_start = state.machine.now();
  const std::int64_t parent =
      queue.current != nullptr ? queue.current->fair.vruntime : queue.min_vruntime;
  const std::int64_t debited = queue.min_vruntime + ToVirtual(slice, task.fair.weight);
  task.fair.vruntime = std::max(parent, debited) - queue.min_vruntime;
}

void CheckPreemption(State& state, CpuNumber cpu, Task& task, CpuNumber by) {
  RunQueue& queue = state.Queue(cpu);
  if (queue.current == nullptr) {
    if (!state.higher.is_running(cpu)) state.machine.RequestReschedule(cpu, by);
    return;
  }
  if (state.machine.NeedsReschedule(cpu)) return;
  UpdateCurrent(state, cpu);
  if (CompareForPreemption(state, *queue.current, task) != 1) return;
  queue.next_buddy = &task;
  state.machine.RequestReschedule(cpu, by);
  if (queue.task_count >= state.tunables.latency_task_count) queue.last_buddy = queue.current;
}

void CheckPreemptionAtTick(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  if (queue.current == nullptr) return;
  UpdateCurrent(state, cpu);
  UpdateQueuedLoad(state, cpu, *queue.current);
  if (queue.task_count < 2 || queue.waiting.empty()) return;
  const FairEntity& entity = queue.current->fair;
  const SimDuration slice = SliceOf(state, queue, *queue.current, true);
  const SimDuration ran = entity.sum_exec - entity.sum_exec_at_pick;
  if (ran > slice) {
    ClearBuddies(queue, *queue.current);
    state.machine.RequestReschedule(cpu, cpu);
    return;
  }
  if (ran < state.tunables.min_granularity) return;
  if (entity.vruntime - queue.waiting.back().vruntime > slice.count()) {
    state.machine.RequestReschedule(cpu, cpu);
  }
}

void YieldCurrent(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  if (queue.task_count < 2) return;
  ClearBuddies(queue, *queue.current);
  queue.skip_buddy = queue.current;
}

void PutCurrent(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  if (queue.current == nullptr) return;
  UpdateCurrent(state, cpu);
  UpdateQueuedLoad(state, cpu, *queue.current);
  InsertWaiting(queue, *queue.current, state.next_queue_sequence++);
  queue.current = nullptr;
}

Task* TakeNext(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  SCHEDLAB_CHECK(queue.current == nullptr);
  if (queue.waiting.empty()) return nullptr;
  Task* const leftmost = queue.waiting.back().task;
  Task* next = leftmost;
  if (queue.skip_buddy == leftmost && queue.waiting.size() > 1) {
    Task* const second = queue.waiting[queue.waiting.size() - 2].task;
    if (CompareForPreemption(state, *second, *leftmost) < 1) next = second;
  }
  for (Task* const buddy : {queue.last_buddy, queue.next_buddy}) {
    if (buddy != nullptr && CompareForPreemption(state, *buddy, *leftmost) < 1) next = buddy;
  }
  queue.skip_buddy = nullptr;
  ClearBuddies(queue, *next);
  RemoveWaiting(queue, *next);
  queue.current = next;
  next->fair.exec_start = state.machine.now();
  next->fair.sum_exec_at_pick = next->fair.sum_exec;
  return next;
}

}  // namespace schedlab::sim::fair
