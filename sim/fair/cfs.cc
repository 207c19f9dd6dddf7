#include "sim/fair/cfs.h"

#include <algorithm>

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
  return difference > ToVirtual(state.tunables.wakeup_granularity, candidate.weight) ? 1 : 0;
}

// A sleeper may start at most half a latency period before the others.
void PlaceWoken(const State& state, const CfsQueue& queue, FairEntity& entity) {
  const std::int64_t credit = Ns(state.tunables.latency) / 2;
  entity.vruntime = std::max(entity.vruntime, queue.min_vruntime - credit);
}

std::int64_t PlaceOfNew(const State& state, const CfsQueue& queue, const FairEntity& entity) {
  const std::int64_t parent =
      queue.current != nullptr ? queue.current->vruntime : queue.min_vruntime;
  const SimDuration slice = SliceOf(state, queue, entity);
  return std::max(parent, queue.min_vruntime + ToVirtual(slice, entity.weight));
}

void ClearBuddies(FairEntity& entity) {
  ClearBuddy(entity, &CfsQueue::last_buddy);
  ClearBuddy(entity, &CfsQueue::next_buddy);
  ClearBuddy(entity, &CfsQueue::skip_buddy);
}

void SetLastBuddy(FairEntity& entity) { SetBuddy(entity, &CfsQueue::last_buddy); }
void SetNextBuddy(FairEntity& entity) { SetBuddy(entity, &CfsQueue::next_buddy); }
void SetSkipBuddy(FairEntity& entity) { SetBuddy(entity, &CfsQueue::skip_buddy); }

FairEntity& ChooseNext(const State& state, const CfsQueue& queue) {
  FairEntity* const leftmost = queue.waiting.first();
  FairEntity* next = leftmost;
  if (queue.skip_buddy == leftmost) {
    FairEntity* const second = EntityTree::Next(*leftmost);
    if (second != nullptr && CompareForPreemption(state, *second, *leftmost) < 1) next = second;
  }
  for (FairEntity* const buddy : {queue.last_buddy, queue.next_buddy}) {
    if (buddy != nullptr && CompareForPreemption(state, *buddy, *leftmost) < 1) next = buddy;
  }
  return *next;
}

}  // namespace schedlab::sim::fair
