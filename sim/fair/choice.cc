#include "sim/fair/bandwidth.h"
#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/queueing.h"
#include "sim/fair/waiting.h"

namespace schedlab::sim::fair {
namespace {

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

}  // namespace

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
