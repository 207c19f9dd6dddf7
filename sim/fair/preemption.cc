#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"
#include "sim/fair/load.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/queueing.h"
#include "sim/fair/waiting.h"

namespace schedlab::sim::fair {
namespace {

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

}  // namespace

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
  if (IsThrottled(task) || IsThrottled(*run_queue.current)) return;
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
  if (state.TaskCount(cpu) < 2 || run_queue.current == nullptr) return;
  FairTask& own = run_queue.current->fair;
  ClearBuddies(own);
  if (IsEevdf(state)) {
    UpdateCurrent(state, cpu);
    own.deadline += ToVirtual(RequestOf(state, own), own.weight);
  } else if (state.switches.buddies == Buddies::kNextOnPreemption) {
    SetSkipBuddy(own);
  }
}

}  // namespace schedlab::sim::fair
