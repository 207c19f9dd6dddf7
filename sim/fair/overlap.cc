#include "sim/fair/overlap.h"

#include <algorithm>

#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

bool IsRead(const State& state) {
  switch (state.switches.wake_affine_rule) {
    case WakeAffineRule::kOverlapSync:
    case WakeAffineRule::kOverlapSyncLoaded:
      return true;
    case WakeAffineRule::kLoadOrLessThanATask:
    case WakeAffineRule::kLoad:
    case WakeAffineRule::kSameCache:
    case WakeAffineRule::kIdleOrWeight:
    case WakeAffineRule::kIdleOrWeightOrPrev:
      return false;
  }
  return false;
}

Overlap& OverlapOf(State& state, const Task& task) {
  std::vector<Overlap>& overlaps = state.balance.overlaps;
  const auto index = static_cast<std::size_t>(task.index);
  if (index >= overlaps.size()) overlaps.resize(index + 1);
  return overlaps[index];
}

void Add(Overlap& overlap, SimDuration sample) {
  overlap.average += SimDuration((sample - overlap.average).count() / 8);
}

}  // namespace

void NoteWakingBy(State& state, CpuNumber cpu) {
  if (!IsRead(state)) return;
  const Task* const waker = state.Queue(cpu).current;
  if (waker == nullptr) return;
  UpdateCurrent(state, cpu);
  Overlap& overlap = OverlapOf(state, *waker);
  overlap.has_woken = true;
  overlap.at_last_wakeup = waker->fair.sum_exec;
}

// Or the average of a task that never sleeps would not grow.
void NoteStillRunnable(State& state, CpuNumber cpu) {
  if (!IsRead(state)) return;
  const Task* const task = state.Queue(cpu).current;
  if (task == nullptr) return;
  UpdateCurrent(state, cpu);
  const SimDuration ran = task->fair.sum_exec - task->fair.sum_exec_at_pick;
  Add(OverlapOf(state, *task), std::min(ran, 2 * state.tunables.migration_cost));
}

void NoteSleep(State& state, Task& task) {
  if (!IsRead(state)) return;
  Overlap& overlap = OverlapOf(state, task);
  if (overlap.has_woken) Add(overlap, task.fair.sum_exec - overlap.at_last_wakeup);
  overlap.has_woken = false;
}

SimDuration AverageOverlap(const State& state, const Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  if (index >= state.balance.overlaps.size()) return SimDuration{0};
  return state.balance.overlaps[index].average;
}

}  // namespace schedlab::sim::fair
