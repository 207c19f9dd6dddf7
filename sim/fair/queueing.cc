#include "sim/fair/queueing.h"

#include <algorithm>

#include "core/check.h"
#include "sim/fair/bandwidth.h"
#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"
#include "sim/fair/load_tracking.h"

namespace schedlab::sim::fair {
namespace {

bool IsEevdf(const State& state) { return state.switches.pick == Pick::kEevdf; }

// The lowest of the entities that execute: that of a task, or of a group whose task has just left.
FairEntity* DeepestCurrent(const CfsQueue& root) {
  FairEntity* deepest = root.current;
  while (deepest != nullptr && deepest->own != nullptr && deepest->own->current != nullptr) {
    deepest = deepest->own->current;
  }
  return deepest;
}

void InsertWaiting(const State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  if (IsEevdf(state)) AddToAverage(queue, entity);
  queue.waiting.Insert(entity, IsEevdf(state) ? entity.deadline : entity.vruntime);
}

void RemoveWaiting(const State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  if (IsEevdf(state)) RemoveFromAverage(queue, entity);
  queue.waiting.Remove(entity);
}

void FollowVruntime(const State& state, CfsQueue& queue) {
  if (IsEevdf(state)) {
    FollowLeastVruntime(queue);
  } else {
    UpdateMinVruntime(queue);
  }
}

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
    if (!entity->is_queued) JoinAsGroup(state, *entity);
    if (entity->is_delayed && entity->own != nullptr) Requeue(state, *entity);
    queue.task_count += task_count;
    UpdateShares(state, queue);
    if (queue.is_throttled) return;
    if (queue.entity_count > 1) continue;
    ChargeRuntime(state, queue, SimDuration{0});
    if (!IsOutOfRuntime(state, queue)) continue;
    NoteThrottled(state, queue);
    return;
  }
}

// `queue` has used up its quota: its tasks wait where they are.
void Throttle(State& state, CfsQueue& queue) {
  TrackUpwards(state, *queue.entity);
  NoteThrottled(state, queue);
  if (!queue.entity->is_queued || queue.entity->is_delayed) return;
  LeaveUpwards(state, *queue.entity, Departure::kExited, queue.task_count);
  RunQueue& run_queue = state.Queue(queue.cpu);
  run_queue.task_count = run_queue.root.task_count;
}

// A delayed entity has paid. What it is owed by now is forgotten.
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
  run_queue.task_count = run_queue.root.task_count;
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

bool IsThrottled(const FairEntity& entity) {
  for (const FairEntity* each = &entity; each != nullptr; each = each->parent) {
    if (each->queue->is_throttled) return true;
  }
  return false;
}

bool PreemptsByCfs(const State& state, FairEntity& current, FairEntity& candidate) {
  const Rivals rivals = InOneQueue(current, candidate);
  const bool preempts = CompareForPreemption(state, *rivals.current, *rivals.candidate) == 1;
  NotePreemptionCheck(state, current, *rivals.candidate, preempts);
  return preempts;
}

bool PreemptsByEevdf(const State& state, FairEntity& current, FairEntity& candidate) {
  const Rivals rivals = InOneQueue(current, candidate);
  const CfsQueue& queue = *rivals.current->queue;
  if (queue.current == nullptr) return true;
  const bool is_short =
      state.switches.preempt_short == OffOn::kOn && MayBreakParity(state, queue, *rivals.candidate);
  if (is_short) rivals.current->picked_deadline = rivals.current->deadline + 1;
  return EarliestEligible(state, queue) == rivals.candidate;
}

bool Preempts(const State& state, Task& current, Task& candidate) {
  const SchedPolicy policy = candidate.attributes.policy;
  if (current.attributes.policy == SchedPolicy::kIdle && policy != SchedPolicy::kIdle) return true;
  if (policy == SchedPolicy::kBatch || policy == SchedPolicy::kIdle) return false;
  return IsEevdf(state) ? PreemptsByEevdf(state, current.fair, candidate.fair)
                        : PreemptsByCfs(state, current.fair, candidate.fair);
}

// `entity` executes from now on, or a task below it does.
void MakeCurrent(State& state, FairEntity& entity) {
  CfsQueue& queue = *entity.queue;
  if (state.tracks_averages) Track(state, entity);
  RemoveWaiting(state, entity);
  queue.current = &entity;
  entity.exec_start = state.machine.now();
  entity.sum_exec_at_pick = entity.sum_exec;
  entity.picked_deadline = entity.deadline;
}

void PutBack(State& state, FairEntity& entity) {
  Track(state, entity);
  InsertWaiting(state, entity);
  entity.queue->current = nullptr;
}

Task* TakeNextByCfs(State& state, CpuNumber cpu) {
  PutCurrent(state, cpu);
  state.Queue(cpu).wants_reschedule = false;
  CfsQueue* queue = &state.Queue(cpu).root;
  while (!queue->waiting.empty()) {
    FairEntity& next = ChooseNext(state, *queue);
    queue->skip_buddy = nullptr;
    ClearBuddies(next);
    MakeCurrent(state, next);
    if (next.own == nullptr) return next.task;
    queue = next.own;
  }
  return nullptr;
}

// The task to execute, which may be the one that does; delayed ones that come up leave instead.
FairEntity* ChooseByEevdf(State& state, CpuNumber cpu) {
  CfsQueue& root = state.Queue(cpu).root;
  CfsQueue* queue = &root;
  while (FairEntity* const next = EarliestEligible(state, *queue)) {
    if (next->is_delayed) {
      LeaveAtLast(state, *next);
      queue = &root;
      continue;
    }
    if (next->own == nullptr) return next;
    queue = next->own;
  }
  return nullptr;
}

bool IsAbove(const FairEntity& above, const FairEntity* entity) {
  for (; entity != nullptr; entity = entity->parent) {
    if (entity == &above) return true;
  }
  return false;
}

// Whether one of the groups that execute has used up its quota.
bool HasRunOut(const State& state, const RunQueue& run_queue) {
  const FairEntity* entity = DeepestCurrent(run_queue.root);
  for (; entity != nullptr; entity = entity->parent) {
    if (IsOutOfRuntime(state, *entity->queue)) return true;
  }
  return false;
}

// Groups that both the task before and the next one belong to go on as they are.
Task* TakeNextByEevdf(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  UpdateCurrent(state, cpu);
  run_queue.wants_reschedule = false;
  if (HasRunOut(state, run_queue)) PutCurrent(state, cpu);
  FairEntity* const next = ChooseByEevdf(state, cpu);
  FairEntity* last = DeepestCurrent(run_queue.root);
  if (next != nullptr && next == last) return next->task;
  for (; last != nullptr && !IsAbove(*last, next); last = last->parent) PutBack(state, *last);
  for (FairEntity* entity = next; entity != last; entity = entity->parent) {
    MakeCurrent(state, *entity);
  }
  return next == nullptr ? nullptr : next->task;
}

bool ReadsAverages(const Switches& switches) {
  return switches.load_view == LoadView::kPeltAll ||
         switches.wake_idle_search == WakeIdleSearch::kSisUtil ||
         switches.idlest_group_rule != IdlestGroupRule::kAverageLoad ||
         switches.group_capacity == GroupCapacity::kUtilization ||
         switches.classification >= Classification::kGroupTypes;
}

}  // namespace

State::State(Machine& the_machine, const Switches& the_switches)
    : machine(the_machine),
      switches(the_switches),
      tunables(MakeTunables(the_switches, the_machine.cpu_count())),
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
  run_queue.task_count = run_queue.root.task_count;
}

void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure) {
  RunQueue& run_queue = state.Queue(cpu);
  FairTask& own = task.fair;
  UpdateCurrent(state, cpu);
  TrackUpwards(state, own);
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
  run_queue.task_count = run_queue.root.task_count;
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

void Unthrottle(State& state, CfsQueue& queue) {
  UpdateCurrent(state, queue.cpu);
  TrackUpwards(state, *queue.entity);
  queue.is_throttled = false;
  if (queue.entity_count == 0) return;
  JoinUpwards(state, *queue.entity, queue.task_count);
  RunQueue& run_queue = state.Queue(queue.cpu);
  run_queue.task_count = run_queue.root.task_count;
}

void CheckPreemption(State& state, CpuNumber cpu, Task& task, CpuNumber by) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.current == nullptr) {
    if (!state.higher.is_running(cpu)) state.machine.RequestReschedule(cpu, by);
    return;
  }
  if (state.machine.NeedsReschedule(cpu) || run_queue.current == &task) return;
  UpdateCurrent(state, cpu);
  if (run_queue.wants_reschedule) {
    state.machine.RequestReschedule(cpu, by);
    return;
  }
  if (IsThrottled(task.fair) || IsThrottled(run_queue.current->fair)) return;
  if (Preempts(state, *run_queue.current, task)) state.machine.RequestReschedule(cpu, by);
}

void CheckPreemptionAtTick(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.current == nullptr) return;
  UpdateCurrent(state, cpu);
  TrackUpwards(state, run_queue.current->fair);
  bool is_due = run_queue.wants_reschedule;
  FairEntity* entity = &run_queue.current->fair;
  for (; entity != nullptr; entity = entity->parent) {
    UpdateShares(state, *entity->queue);
    if (!IsEevdf(state)) is_due = HasHadItsTurn(state, *entity) || is_due;
  }
  if (is_due) state.machine.RequestReschedule(cpu, cpu);
}

void YieldCurrent(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  if (run_queue.task_count < 2 || run_queue.current == nullptr) return;
  FairTask& own = run_queue.current->fair;
  ClearBuddies(own);
  if (IsEevdf(state)) {
    UpdateCurrent(state, cpu);
    own.deadline += ToVirtual(RequestOf(state, own), own.weight);
  } else if (state.switches.buddies == Buddies::kNextOnPreemption) {
    SetSkipBuddy(own);
  }
}

void PutCurrent(State& state, CpuNumber cpu) {
  RunQueue& run_queue = state.Queue(cpu);
  UpdateCurrent(state, cpu);
  FairEntity* entity = DeepestCurrent(run_queue.root);
  for (; entity != nullptr; entity = entity->parent) {
    CfsQueue& queue = *entity->queue;
    if (queue.current == entity) PutBack(state, *entity);
    if (IsOutOfRuntime(state, queue)) Throttle(state, queue);
  }
  run_queue.current = nullptr;
}

Task* TakeNext(State& state, CpuNumber cpu) {
  Task* const next = IsEevdf(state) ? TakeNextByEevdf(state, cpu) : TakeNextByCfs(state, cpu);
  RunQueue& run_queue = state.Queue(cpu);
  run_queue.current = next;
  const bool keeps_recent_first = state.switches.pull_list == PullList::kPerCpuRecent;
  if (next != nullptr && keeps_recent_first) ListMoveToFront(run_queue, *next);
  return next;
}

}  // namespace schedlab::sim::fair
