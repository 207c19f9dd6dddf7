#include "sim/fair/waiting.h"

#include "sim/fair/cfs.h"
#include "sim/fair/eevdf.h"

namespace schedlab::sim::fair {

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
