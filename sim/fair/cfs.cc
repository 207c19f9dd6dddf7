#include "sim/fair/cfs.h"

#include <algorithm>
#include <array>
#include <utility>

namespace schedlab::sim::fair {
namespace {

using Buddy = FairEntity* CfsQueue::*;

void SetBuddy(FairEntity& entity, Buddy buddy) {
  for (FairEntity* each = &entity; each != nullptr; each = each->parent) each->queue->*buddy = each;
}

void ClearBuddy(FairEntity& entity, Buddy buddy) {
  for (FairEntity* each = &entity; each != nullptr; each = each->parent) {
    if (each->queue->*buddy != each) return;
    each->queue->*buddy = nullptr;
  }
}

// In real time, before the weight of the candidate comes in.
SimDuration WakeupGranularityOf(const State& state, const FairEntity& current,
                                const FairEntity& candidate) {
  const SimDuration fixed = state.tunables.wakeup_granularity;
  const bool is_adaptive = state.switches.wakeup_granularity == WakeupGranularity::kAdaptive;
  if (!is_adaptive || current.queue->current == nullptr) return fixed;
  const SimDuration average =
      candidate.task != nullptr ? candidate.task->fair.average_wakeup : SimDuration{0};
  const SimDuration expected = 2 * average * current.queue->entity_count;
  const SimDuration ran = current.sum_exec - current.sum_exec_at_pick;
  return std::min(fixed, std::max(SimDuration{0}, expected - ran));
}

SimDuration CreditOfSleepers(const State& state) {
  switch (state.switches.sleeper_credit) {
    case SleeperCredit::kHalf:
      return state.tunables.latency / 2;
    case SleeperCredit::kFull:
      return state.tunables.latency;
    case SleeperCredit::kNone:
      return SimDuration{0};
  }
  return SimDuration{0};
}

// Without next buddies the last one is asked last; otherwise the next one.
std::array<FairEntity*, 2> BuddiesInOrder(const State& state, const CfsQueue& queue) {
  if (state.switches.buddies == Buddies::kLastOnly) return {queue.next_buddy, queue.last_buddy};
  return {queue.last_buddy, queue.next_buddy};
}

}  // namespace

std::int64_t ToVirtual(SimDuration real, std::int64_t weight) {
  if (weight == kWeightOfNice0) return real.count();
  return real.count() * kWeightOfNice0 / weight;
}

void UpdateMinVruntime(CfsQueue& queue) {
  std::int64_t least = queue.min_vruntime;
  if (queue.current != nullptr) least = queue.current->vruntime;
  if (const FairEntity* const leftmost = queue.waiting.first(); leftmost != nullptr) {
    least = queue.current != nullptr ? std::min(least, leftmost->vruntime) : leftmost->vruntime;
  }
  queue.min_vruntime = std::max(queue.min_vruntime, least);
}

SimDuration SliceOf(const State& state, const CfsQueue& queue, const FairEntity& entity) {
  const std::int64_t count = queue.entity_count + (entity.is_queued ? 0 : 1);
  const SimDuration period = count <= state.tunables.latency_task_count
                                 ? state.tunables.latency
                                 : state.tunables.min_granularity * count;
  std::int64_t slice = period.count();
  const CfsQueue* in = &queue;
  for (const FairEntity* each = &entity; each != nullptr; each = in->entity) {
    if (each != &entity) in = each->queue;
    const std::int64_t weight = in->weight + (each->is_queued ? 0 : each->weight);
    slice = slice * each->weight / weight;
  }
  return SimDuration(slice);
}

int CompareForPreemption(const State& state, const FairEntity& current,
                         const FairEntity& candidate) {
  const std::int64_t difference = current.vruntime - candidate.vruntime;
  if (difference <= 0) return -1;
  const SimDuration granularity = WakeupGranularityOf(state, current, candidate);
  return difference > ToVirtual(granularity, candidate.weight) ? 1 : 0;
}

void PlaceWoken(const State& state, const CfsQueue& queue, FairEntity& entity) {
  entity.vruntime = std::max(entity.vruntime, queue.min_vruntime - Ns(CreditOfSleepers(state)));
}

bool PlaceNewEntity(const State& state, const CfsQueue& queue, FairEntity& entity) {
  FairEntity* const parent = queue.current;
  const SimDuration slice = SliceOf(state, queue, entity);
  const std::int64_t debited = queue.min_vruntime + ToVirtual(slice, entity.weight);
  entity.vruntime = std::max(parent != nullptr ? parent->vruntime : queue.min_vruntime, debited);
  const bool trades = state.switches.child_runs_first == OffOn::kOn && parent != nullptr &&
                      parent->vruntime < entity.vruntime;
  if (trades) std::swap(parent->vruntime, entity.vruntime);
  return trades;
}

void ClearBuddies(FairEntity& entity) {
  ClearBuddy(entity, &CfsQueue::last_buddy);
  ClearBuddy(entity, &CfsQueue::next_buddy);
  ClearBuddy(entity, &CfsQueue::skip_buddy);
}

void SetNextBuddy(FairEntity& entity) { SetBuddy(entity, &CfsQueue::next_buddy); }
void SetSkipBuddy(FairEntity& entity) { SetBuddy(entity, &CfsQueue::skip_buddy); }

void NotePreemptionCheck(const State& state, FairEntity& current, FairEntity& candidate,
                         bool preempts) {
  const bool sets_last = current.queue->entity_count >= state.tunables.latency_task_count;
  switch (state.switches.buddies) {
    case Buddies::kNextOnPreemption:
      if (preempts) SetBuddy(candidate, &CfsQueue::next_buddy);
      if (preempts && sets_last) SetBuddy(current, &CfsQueue::last_buddy);
      return;
    case Buddies::kLastOnly:
      if (preempts && sets_last) SetBuddy(current, &CfsQueue::last_buddy);
      return;
    case Buddies::kLastAlways:
      SetBuddy(current, &CfsQueue::last_buddy);
      SetBuddy(candidate, &CfsQueue::next_buddy);
      return;
  }
}

bool HasHadItsTurn(const State& state, FairEntity& entity) {
  const CfsQueue& queue = *entity.queue;
  if (queue.entity_count < 2 || queue.waiting.empty()) return false;
  const SimDuration slice = SliceOf(state, queue, entity);
  const SimDuration ran = entity.sum_exec - entity.sum_exec_at_pick;
  if (ran > slice) {
    ClearBuddies(entity);
    return true;
  }
  if (state.switches.buddies == Buddies::kLastAlways) return false;
  if (ran < state.tunables.min_granularity) return false;
  return entity.vruntime - queue.waiting.first()->vruntime > slice.count();
}

FairEntity& ChooseNext(const State& state, const CfsQueue& queue) {
  FairEntity* const leftmost = queue.waiting.first();
  FairEntity* next = leftmost;
  if (queue.skip_buddy == leftmost) {
    FairEntity* const second = EntityTree::Next(*leftmost);
    if (second != nullptr && CompareForPreemption(state, *second, *leftmost) < 1) next = second;
  }
  for (FairEntity* const buddy : BuddiesInOrder(state, queue)) {
    if (buddy != nullptr && CompareForPreemption(state, *buddy, *leftmost) < 1) next = buddy;
  }
  return *next;
}

}  // namespace schedlab::sim::fair
