#include "sim/fair/queueing.h"

#include <algorithm>

#include "core/check.h"
#include "sim/fair/bandwidth.h"
#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"
#include "sim/fair/load.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/waiting.h"

namespace schedlab::sim::fair {
namespace {

// A wakee of shorter request has taken the protection of the current entity away.
bool IsOvertaken(const State& state, const FairEntity& entity) {
  return state.switches.preempt_short == OffOn::kOn && entity.picked_deadline != entity.deadline &&
         !IsEligible(*entity.queue, entity);
}

void UpdateCurrentEntity(State& state, FairEntity& entity) {
  const SimTime now = state.machine.now();
  const SimDuration ran = now - entity.exec_start;
  if (ran <= SimDuration{0}) return;
  entity.exec_start = now;
  entity.sum_exec += ran;
  entity.vruntime += ToVirtual(ran, entity.weight);
  const bool is_served = IsEevdf(state) && RenewDeadline(state, entity);
  FollowVruntime(state, *entity.queue);
  bool& wants_reschedule = state.Queue(entity.queue->cpu).wants_reschedule;
  if (ChargeRuntime(state, *entity.queue, ran)) wants_reschedule = true;
  if (!IsEevdf(state) || entity.queue->entity_count < 2) return;
  if (is_served || IsOvertaken(state, entity)) wants_reschedule = true;
}

// `entity`, placed already, is one of its queue from now on.
void Join(const State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  ++queue.entity_count;
  queue.weight += entity.weight;
  queue.load += entity.load;
  entity.is_queued = true;
  InsertWaiting(state, entity);
}

void PlaceReturning(const State& state, FairEntity& entity) {
  if (IsEevdf(state)) {
    PlaceByLag(state, *entity.queue, entity, Start::kReturning);
  } else {
    PlaceWoken(state, *entity.queue, entity);
  }
}

// The entity of a group that has just got its first task.
void JoinAsGroup(State& state, FairEntity& entity) {
  if (entity.period_sum == 0) InitAverages(entity, state.machine.now(), state.tunables.latency);
  Track(state, entity);
  PlaceReturning(state, entity);
  Join(state, entity);
}

void Leave(State& state, FairEntity& entity, Departure departure) {
  CfsQueue& queue = *entity.queue;
  const bool is_moved = departure == Departure::kMoved;
  ClearBuddies(entity);
  if (IsEevdf(state)) KeepLag(state, queue, entity, is_moved);
  if (queue.current != &entity) RemoveWaiting(state, entity);
  --queue.entity_count;
  queue.weight -= entity.weight;
  queue.load -= entity.load;
  entity.is_queued = false;
  if (is_moved && !IsEevdf(state)) entity.vruntime -= queue.min_vruntime;
  FollowVruntime(state, queue);
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

// What is ahead of the average stays queued, so that it cannot sleep away what it owes.
bool MayDelay(const State& state, const FairEntity& entity) {
  return IsEevdf(state) && state.switches.delay_dequeue == OffOn::kOn &&
         !IsEligible(*entity.queue, entity);
}

// `first` leaves with its tasks, and each group above it that is empty then.
void LeaveUpwards(State& state, FairEntity& first, Departure departure, std::int32_t task_count) {
  bool leaves = true;
  for (FairEntity* entity = &first; entity != nullptr; entity = entity->parent) {
    CfsQueue& queue = *entity->queue;
    queue.task_count -= task_count;
    if (leaves && entity != &first && MayDelay(state, *entity)) {
      entity->is_delayed = true;
      leaves = false;
    }
    if (leaves) Leave(state, *entity, entity == &first ? departure : Departure::kBlocked);
    if (leaves && queue.entity_count == 0) ReturnRuntime(state, queue);
    UpdateShares(state, queue);
    if (queue.is_throttled) return;
    // While a task sleeps, others of its group are to use what is left of the group's turn.
    const bool leaves_others = leaves && queue.entity_count > 0 && queue.entity != nullptr;
    if (leaves_others && departure == Departure::kBlocked) SetNextBuddy(*queue.entity);
    leaves = leaves && queue.entity_count == 0;
  }
}

// A delayed entity is wanted again. It has not earned anything by having waited.
void Requeue(const State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  entity.is_delayed = false;
  if (LagOf(state, queue, entity) <= 0) return;
  const bool is_waiting = queue.current != &entity;
  if (is_waiting) RemoveWaiting(state, entity);
  --queue.entity_count;
  entity.lag = 0;
  PlaceByLag(state, queue, entity, Start::kReturning);
  ++queue.entity_count;
  if (is_waiting) InsertWaiting(state, entity);
}

// `first` has joined, or stands for a queue that is free again, with its tasks.
void JoinUpwards(State& state, FairEntity& first, std::int32_t task_count) {
  for (FairEntity* entity = &first; entity != nullptr; entity = entity->parent) {
    CfsQueue& queue = *entity->queue;
    const bool joins = entity->own == nullptr || !entity->is_queued;
    if (!entity->is_queued) JoinAsGroup(state, *entity);
    if (entity->is_delayed && entity->own != nullptr) Requeue(state, *entity);
    queue.task_count += task_count;
    UpdateShares(state, queue);
    if (queue.is_throttled) return;
    // A queue that had somebody before is throttled when its current task is put back.
    if (!joins || queue.entity_count > 1) continue;
    ChargeRuntime(state, queue, SimDuration{0});
    if (!IsOutOfRuntime(state, queue)) continue;
    NoteThrottled(state, queue);
    return;
  }
}

// A task that waits for a quota does not count as waiting for a CPU.
void ExcuseIfThrottled(State& state, Task& task) {
  FairTask& own = task.fair;
  const bool is_throttled = own.is_queued && !own.is_delayed && IsThrottled(task);
  if (task.IsPinned() || is_throttled == own.is_excused) return;
  own.is_excused = is_throttled;
  state.machine.ChangeWaiting(is_throttled ? -1 : 1);
}

void ExcuseThrottled(State& state, CpuNumber cpu) {
  Task* task = state.Queue(cpu).list_head;
  for (; task != nullptr; task = task->fair.list_next) ExcuseIfThrottled(state, *task);
}

}  // namespace

void UpdateCurrent(State& state, CpuNumber cpu) {
  FairEntity* entity = DeepestCurrent(state.Queue(cpu).root);
  for (; entity != nullptr; entity = entity->parent) UpdateCurrentEntity(state, *entity);
}

void Enqueue(State& state, CpuNumber cpu, Task& task, Arrival arrival) {
  RunQueue& run_queue = state.Queue(cpu);
  CfsQueue& queue = QueueOf(state, task, cpu);
  FairTask& own = task.fair;
  task.cpu = cpu;
  own.task = &task;
  own.queue = &queue;
  own.parent = queue.entity;
  if (!IsEevdf(state)) own.vruntime += queue.min_vruntime;
  UpdateCurrent(state, cpu);
  Track(state, own);
  CountIn(state, queue, task);
  if (IsEevdf(state)) {
    PlaceByLag(state, queue, own, arrival == Arrival::kNew ? Start::kNew : Start::kReturning);
  } else if (arrival == Arrival::kWoken) {
    PlaceWoken(state, queue, own);
  }
  Join(state, own);
  ++run_queue.listed_count;
  if (own.is_delayed) ++run_queue.delayed_count;
  AddToList(state, run_queue, task);
  JoinUpwards(state, own, 1);
  state.NoteTaskCount(cpu);
  if (state.RunnableCount(cpu) > 1) state.balance.has_overload = true;
  ExcuseIfThrottled(state, task);
}

void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure) {
  RunQueue& run_queue = state.Queue(cpu);
  FairTask& own = task.fair;
  UpdateCurrent(state, cpu);
  TrackUpwards(state, own);
  if (own.is_excused) {
    own.is_excused = false;
    state.machine.ChangeWaiting(1);
  }
  if (run_queue.current == &task) run_queue.current = nullptr;
  if (departure == Departure::kBlocked && MayDelay(state, own)) {
    own.is_delayed = true;
    ++run_queue.delayed_count;
    return;
  }
  --run_queue.listed_count;
  if (own.is_delayed) --run_queue.delayed_count;
  ListRemove(run_queue, task);
  LeaveUpwards(state, own, departure, 1);
  state.NoteTaskCount(cpu);
}

void DetachVruntime(State& state, Task& task) {
  // One that has never been queued has slept here since its creation.
  if (task.fair.queue == nullptr) task.fair.queue = &QueueOf(state, task, task.cpu);
  if (!IsEevdf(state)) task.fair.vruntime -= task.fair.queue->min_vruntime;
}

void RequeueDelayed(State& state, Task& task) {
  SCHEDLAB_CHECK(task.fair.is_delayed);
  UpdateCurrent(state, task.cpu);
  TrackUpwards(state, task.fair);
  --state.Queue(task.cpu).delayed_count;
  Requeue(state, task.fair);
  ExcuseIfThrottled(state, task);
}

void FinishDelayed(State& state, Task& task) {
  SCHEDLAB_CHECK(task.fair.is_delayed);
  UpdateCurrent(state, task.cpu);
  LeaveAtLast(state, task.fair);
}

void PlaceNew(State& state, CpuNumber cpu, Task& task) {
  UpdateCurrent(state, cpu);
  const CfsQueue& queue = QueueOf(state, task, cpu);
  FairTask& own = task.fair;
  own.exec_start = state.machine.now();
  own.average_wakeup = state.tunables.wakeup_granularity;
  if (IsEevdf(state)) {
    TrackNew(state, queue, task, state.tunables.base_slice);
    return;
  }
  TrackNew(state, queue, task, SliceOf(state, queue, own));
  if (PlaceNewEntity(state, queue, own)) state.machine.RequestReschedule(cpu, cpu);
  own.vruntime -= queue.min_vruntime;
}

void ChangeWeight(State& state, FairEntity& entity, std::int64_t weight) {
  if (entity.queue != nullptr) Track(state, entity);
  if (entity.is_queued && IsEevdf(state)) {
    CfsQueue& queue = *entity.queue;
    const bool is_waiting = queue.current != &entity;
    const std::int64_t before = entity.weight;
    const Request request = Rescaled(state, entity, weight);
    if (is_waiting) RemoveWaiting(state, entity);
    entity.vruntime = request.vruntime;
    entity.deadline = request.deadline;
    entity.weight = weight;
    if (is_waiting) InsertWaiting(state, entity);
    queue.weight += weight - before;
    FollowLeastVruntime(queue);
    return;
  }
  if (entity.is_queued) entity.queue->weight += weight - entity.weight;
  if (IsEevdf(state)) entity.lag = entity.lag * entity.weight / weight;
  entity.weight = weight;
}

void Throttle(State& state, CfsQueue& queue) {
  TrackUpwards(state, *queue.entity);
  NoteThrottled(state, queue);
  if (queue.entity->is_queued && !queue.entity->is_delayed) {
    LeaveUpwards(state, *queue.entity, Departure::kExited, queue.task_count);
  }
  state.NoteTaskCount(queue.cpu);
  ExcuseThrottled(state, queue.cpu);
}

void LeaveAtLast(State& state, FairEntity& entity) {
  RunQueue& run_queue = state.Queue(entity.queue->cpu);
  TrackUpwards(state, entity);
  if (entity.own == nullptr) {
    --run_queue.listed_count;
    --run_queue.delayed_count;
    ListRemove(run_queue, *entity.task);
  }
  entity.is_delayed = false;
  LeaveUpwards(state, entity, Departure::kExited, entity.own == nullptr ? 1 : 0);
  entity.lag = std::min<std::int64_t>(0, entity.lag);
  state.NoteTaskCount(entity.queue->cpu);
}

void Unthrottle(State& state, CfsQueue& queue) {
  UpdateCurrent(state, queue.cpu);
  TrackUpwards(state, *queue.entity);
  queue.is_throttled = false;
  if (queue.entity_count == 0) return;
  JoinUpwards(state, *queue.entity, queue.task_count);
  state.NoteTaskCount(queue.cpu);
  ExcuseThrottled(state, queue.cpu);
}

}  // namespace schedlab::sim::fair
