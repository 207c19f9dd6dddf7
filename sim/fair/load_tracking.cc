#include "sim/fair/load_tracking.h"

#include <algorithm>

#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kWholeCpu = 1024;

Activity ActivityOf(const FairEntity& entity) {
  if (!entity.is_queued) return {};
  const std::int64_t count = entity.own == nullptr ? 1 : entity.own->task_count;
  return {entity.weight, count, entity.queue->current == &entity};
}

// The averages of a task count in its queue; what it used, and waited for, in those above as well.
template <class Change>
void ChangeWholes(State& state, CfsQueue& queue, Change change) {
  for (CfsQueue* each = &queue;; each = each->entity->queue) {
    TrackQueue(state, *each);
    change(*each, each == &queue);
    if (each->entity == nullptr) return;
  }
}

}  // namespace

Activity ActivityOf(const CfsQueue& queue) {
  return {queue.weight, queue.task_count, queue.current != nullptr};
}

void TrackQueue(State& state, CfsQueue& queue) {
  queue.memo.at = kNever;
  Advance(queue.averages, state.machine.now(), ActivityOf(queue));
}

void Track(State& state, FairEntity& entity) {
  const SimTime now = state.machine.now();
  if (state.switches.load_view == LoadView::kPeltRunnable) {
    const std::int64_t before = entity.load;
    UpdateAverages(entity, now, entity.is_queued);
    if (entity.is_queued) entity.queue->load += entity.load - before;
  }
  NoteWeightChange(state, *entity.queue);
  if (!state.tracks_averages) return;
  Advance(entity.averages, now, ActivityOf(entity));
  TrackQueue(state, *entity.queue);
}

void TrackUpwards(State& state, FairEntity& entity) {
  for (FairEntity* each = &entity; each != nullptr; each = each->parent) Track(state, *each);
}

void CountNowhere(State& state, Task& task) {
  FairTask& own = task.fair;
  if (own.counted_in == nullptr) return;
  ChangeWholes(state, *own.counted_in,
               [&](CfsQueue& queue, bool is_own) { Detach(queue.averages, own.averages, is_own); });
  own.counted_in = nullptr;
}

void CountIn(State& state, CfsQueue& queue, Task& task) {
  FairTask& own = task.fair;
  if (!state.tracks_averages || own.counted_in == &queue) return;
  CountNowhere(state, task);
  ChangeWholes(state, queue,
               [&](CfsQueue& each, bool is_own) { Attach(each.averages, own.averages, is_own); });
  own.counted_in = &queue;
}

void SetTaskWeight(State& state, Task& task, std::int64_t weight) {
  FairTask& own = task.fair;
  if (own.weight == weight) return;
  CfsQueue* const counted_in = own.counted_in;
  CountNowhere(state, task);
  own.averages.load = own.averages.load * weight / own.weight;
  own.averages.load_sum = own.averages.load_sum * weight / own.weight;
  ChangeWeight(state, own, weight);
  if (counted_in != nullptr) CountIn(state, *counted_in, task);
}

// Its utilisation is guessed from that of the queue, at most half of what is left of the CPU.
void TrackNew(State& state, const CfsQueue& queue, Task& task, SimDuration slice) {
  FairTask& own = task.fair;
  const SimTime now = state.machine.now();
  InitAverages(own, now, slice);
  if (!state.tracks_averages) return;
  const std::int64_t cap = (kWholeCpu - queue.averages.util) / 2;
  std::int64_t util = 0;
  if (cap > 0) {
    util = queue.averages.util == 0
               ? cap
               : std::min(cap, queue.averages.util * own.weight / (queue.averages.load + 1));
  }
  SetFull(own.averages, now, own.weight, util);
}

}  // namespace schedlab::sim::fair
