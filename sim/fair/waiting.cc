#include "sim/fair/waiting.h"

#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"

namespace schedlab::sim::fair {

bool IsEevdf(const State& state) { return state.switches.pick == Pick::kEevdf; }

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

}  // namespace schedlab::sim::fair
