#include "sim/fair/waker.h"

#include <algorithm>

namespace schedlab::sim::fair {
namespace {

void Average(SimDuration& average, SimDuration sample) {
  average += SimDuration((sample - average).count() >> 3);
}

}  // namespace

void NoteWakeupBy(State& state, const Context& context) {
  if (context.task == nullptr) return;
  FairTask& waker = state.machine.current(context.cpu)->fair;
  const bool has_woken = waker.sum_exec_at_wakeup > SimDuration{0};
  const SimDuration since = has_woken ? waker.sum_exec_at_wakeup : waker.sum_exec_at_start;
  Average(waker.average_wakeup, waker.sum_exec - since);
  waker.sum_exec_at_wakeup = waker.sum_exec;
}

void NoteWokenUp(Task& task) { task.fair.sum_exec_at_start = task.fair.sum_exec; }

void NoteSleep(const State& state, Task& task) {
  FairTask& own = task.fair;
  if (own.sum_exec_at_wakeup == SimDuration{0}) {
    Average(own.average_wakeup, state.tunables.wakeup_granularity);
    return;
  }
  Average(own.average_overlap, own.sum_exec - own.sum_exec_at_wakeup);
  own.sum_exec_at_wakeup = SimDuration{0};
}

void NoteTurnEnded(const State& state, Task& task) {
  FairTask& own = task.fair;
  const SimDuration ran = own.sum_exec - own.sum_exec_at_pick;
  Average(own.average_overlap, std::min(ran, 2 * state.tunables.migration_cost));
}

}  // namespace schedlab::sim::fair
