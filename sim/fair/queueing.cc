#include "sim/fair/queueing.h"

#include <algorithm>

#include "core/check.h"
#include "sim/fair/cfs.h"
#include "sim/fair/load_tracking.h"

namespace schedlab::sim::fair {
namespace {

// The lowest of the entities that execute: that of a task, or of a group whose task has just left.
FairEntity* DeepestCurrent(const CfsQueue& root) {
  FairEntity* deepest = root.current;
  while (deepest != nullptr && deepest->own != nullptr && deepest->own->current != nullptr) {
    deepest = deepest->own->current;
  }
  return deepest;
}

void UpdateCurrentEntity(FairEntity& entity, SimTime now) {
  const SimDuration ran = now - entity.exec_start;
  if (ran <= SimDuration{0}) return;
  entity.exec_start = now;
  entity.sum_exec += ran;
  entity.vruntime += ToVirtual(ran, entity.weight);
  UpdateMinVruntime(*entity.queue);
}

void ChangeQueueWeight(CfsQueue& queue, std::int64_t change) {
  queue.weight += change;
  if (queue.group != nullptr) queue.group->weight += change;
}

// `entity`, placed already, is one of its queue from now on.
void Join(CfsQueue& queue, FairEntity& entity) {
  ++queue.entity_count;
  ChangeQueueWeight(queue, entity.weight);
  queue.load += entity.load;
  entity.is_queued = true;
  queue.waiting.Insert(entity, entity.vruntime);
}

// The entity of a group that has just got its first task.
void JoinAsGroup(State& state, FairEntity& entity) {
  if (entity.period_sum == 0) InitAverages(entity, state.machine.now(), state.tunables.latency);
  Track(state, entity);
  PlaceWoken(state, *entity.queue, entity);
  Join(*entity.queue, entity);
}

void Leave(FairEntity& entity, Departure departure) {
  CfsQueue& queue = *entity.queue;
  ClearBuddies(entity);
  if (queue.current != &entity) queue.waiting.Remove(entity);
  --queue.entity_count;
  ChangeQueueWeight(queue, -entity.weight);
  queue.load -= entity.load;
  entity.is_queued = false;
  if (departure == Departure::kMoved) entity.vruntime -= queue.min_vruntime;
  UpdateMinVruntime(queue);
  if (queue.current == &entity) queue.current = nullptr;
}

void AddToList(const State& state, RunQueue& queue, Task& task) {
  switch (state.switches.pull_list) {
    case PullList::kPerCpuHead:
    case PullList::kPerGroup:
    case PullList::kPerCpuRecent:
      ListPushFront(queue, task);
      return;
    case PullList::kPerCpuTail:
      ListPushBack(queue, task);
      return;
  }
}

std::int32_t DepthOf(const FairEntity& entity) {
  std::int32_t depth = 0;
  for (const FairEntity* up = entity.parent; up != nullptr; up = up->parent) ++depth;
  return depth;
}

struct Rivals {
  FairEntity* current;
  FairEntity* candidate;
};

// The entities of one queue that stand for two tasks.
Rivals InOneQueue(FairEntity& current, FairEntity& candidate) {
  Rivals rivals{&current, &candidate};
  std::int32_t lead = DepthOf(current) - DepthOf(candidate);
  for (; lead > 0; --lead) rivals.current = rivals.current->parent;
  for (; lead < 0; ++lead) rivals.candidate = rivals.candidate->parent;
  while (rivals.current->queue != rivals.candidate->queue) {
    rivals = {rivals.current->parent, rivals.candidate->parent};
  }
  return rivals;
}

bool ReadsAverages(const Switches& switches) {
  return switches.load_view == LoadView::kPeltAll ||
         switches.wake_idle_search == WakeIdleSearch::kSisUtil ||
         switches.idlest_group_rule != IdlestGroupRule::kAverageLoad ||
         switches.group_capacity == GroupCapacity::kUtilization ||
         switches.classification >= Classification::kGroupTypes;
}

// Whether `entity` has had its turn.
bool IsDueToLeave(const State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  if (queue.entity_count < 2 || queue.waiting.empty()) return false;
  const SimDuration slice = SliceOf(state, queue, entity);
  const SimDuration ran = entity.sum_exec - entity.sum_exec_at_pick;
  if (ran > slice) {
    ClearBuddies(entity);
    return true;
  }
  if (ran < state.tunables.min_granularity) return false;
  return entity.vruntime - queue.waiting.first()->vruntime > slice.count();
}

}  // namespace

State::State(Machine& the_machine, const Switches& the_switches)
    : machine(the_machine),
      switches(the_switches),
      tunables(MakeTunables(the_switches.tunable_scaling, the_machine.cpu_count())),
      tracks_averages(ReadsAverages(the_switches)),
      domains(the_machine, the_switches),
      queues(static_cast<std::size_t>(the_machine.cpu_count())),
      higher(the_machine, the_switches.capacity_model),
      tickless(the_machine.cpu_count()),
      balance(the_machine.cpu_count()) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i].root.cpu = static_cast<CpuNumber>(i);
    queues[i].max_newidle_cost = tunables.migration_cost;
    const bool starts_busy = switches.newidle_gate == NewidleGate::kAvgIdleFromZero;
    queues[i].average_idle = starts_busy ? SimDuration{0} : 2 * tunables.migration_cost;
  }
}

void UpdateCurrent(State& state, CpuNumber cpu) {
  const SimTime now = state.machine.now();
  FairEntity* entity = DeepestCurrent(state.Queue(cpu).root);
  for (; entity != nullptr; entity = entity->parent) UpdateCurrentEntity(*entity, now);
}

void Enqueue(State& state, CpuNumber cpu, Task& task, Arrival arrival) {
  RunQueue& run_queue = state.Queue(cpu);
  CfsQueue& queue = QueueOf(state, task, cpu);
  FairTask& own = task.fair;
  task.cpu = cpu;
  own.task = &task;
  own.queue = &queue;
  own.parent = queue.entity;
  own.vruntime += queue.min_vruntime;
  UpdateCurrent(state, cpu);
  Track(state, own);
  CountIn(state, queue, task);
  if (arrival == Arrival::kWoken) PlaceWoken(state, queue, own);
  Join(queue, own);
  ++run_queue.task_count;
  AddToList(state, run_queue, task);
  for (FairEntity* entity = &own; entity != nullptr; entity = entity->parent) {
    if (!entity->is_queued) JoinAsGroup(state, *entity);
    ++entity->queue->task_count;
    UpdateShares(*entity->queue);
  }
}

void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure) {
  RunQueue& run_queue = state.Queue(cpu);
  UpdateCurrent(state, cpu);
  TrackUpwards(state, task.fair);
  --run_queue.task_count;
  ListRemove(run_queue, task);
  if (run_queue.current == &task) run_queue.current = nullptr;
  bool leaves = true;
  for (FairEntity* entity = &task.fair; entity != nullptr; entity = entity->parent) {
    CfsQueue& queue = *entity->queue;
    --queue.task_count;
    if (leaves) Leave(*entity, entity == &task.fair ? departure : Departure::kBlocked);
    UpdateShares(queue);
    // While a task sleeps, others of its group are to use what is left of the group's turn.
    const bool leaves_others = leaves && queue.entity_count > 0 && queue.entity != nullptr;
    if (leaves_others && departure == Departure::kBlocked) SetNextBuddy(*queue.entity);
    leaves = leaves && queue.entity_count == 0;
  }
}

void DetachVruntime(State& state, Task& task) {
  // One that has never been queued has slept here since its creation.
  if (task.fair.queue == nullptr) task.fair.queue = &QueueOf(state, task, task.cpu);
  task.fair.vruntime -= task.fair.queue->min_vruntime;
}

void PlaceNew(State& state, CpuNumber cpu, Task& task) {
  UpdateCurrent(state, cpu);
  const CfsQueue& queue = QueueOf(state, task, cpu);
  TrackNew(state, queue, task, SliceOf(state, queue, task.fair));
  task.fair.exec_start = state.machine.now();
  task.fair.vruntime = PlaceOfNew(state, queue, task.fair) - queue.min_vruntime;
}

void CheckPreemption(State& state, CpuNumber cpu, Task& task, CpuNumber by) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.current == nullptr) {
    if (!state.higher.is_running(cpu)) state.machine.RequestReschedule(cpu, by);
    return;
  }
  if (state.machine.NeedsReschedule(cpu) || run_queue.current == &task) return;
  UpdateCurrent(state, cpu);
  FairTask& current = run_queue.current->fair;
  const Rivals rivals = InOneQueue(current, task.fair);
  if (CompareForPreemption(state, *rivals.current, *rivals.candidate) != 1) return;
  SetNextBuddy(*rivals.candidate);
  state.machine.RequestReschedule(cpu, by);
  if (current.queue->entity_count >= state.tunables.latency_task_count) SetLastBuddy(current);
}

void CheckPreemptionAtTick(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.current == nullptr) return;
  UpdateCurrent(state, cpu);
  TrackUpwards(state, run_queue.current->fair);
  FairEntity* entity = &run_queue.current->fair;
  for (; entity != nullptr; entity = entity->parent) {
    UpdateShares(*entity->queue);
    if (IsDueToLeave(state, *entity)) state.machine.RequestReschedule(cpu, cpu);
  }
}

void YieldCurrent(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.task_count < 2) return;
  ClearBuddies(run_queue.current->fair);
  SetSkipBuddy(run_queue.current->fair);
}

void PutCurrent(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  UpdateCurrent(state, cpu);
  FairEntity* entity = DeepestCurrent(run_queue.root);
  for (; entity != nullptr; entity = entity->parent) {
    CfsQueue& queue = *entity->queue;
    Track(state, *entity);
    queue.waiting.Insert(*entity, entity->vruntime);
    queue.current = nullptr;
  }
  run_queue.current = nullptr;
}

Task* TakeNext(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  SCHEDLAB_CHECK(run_queue.current == nullptr);
  CfsQueue* queue = &run_queue.root;
  while (!queue->waiting.empty()) {
    FairEntity& next = ChooseNext(state, *queue);
    queue->skip_buddy = nullptr;
    ClearBuddies(next);
    if (state.tracks_averages) Track(state, next);
    queue->waiting.Remove(next);
    queue->current = &next;
    next.exec_start = state.machine.now();
    next.sum_exec_at_pick = next.sum_exec;
    if (next.own == nullptr) {
      if (state.switches.pull_list == PullList::kPerCpuRecent) {
        ListMoveToFront(run_queue, *next.task);
      }
      return run_queue.current = next.task;
    }
    queue = next.own;
  }
  return nullptr;
}

}  // namespace schedlab::sim::fair
