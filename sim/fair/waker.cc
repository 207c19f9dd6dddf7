#include "sim/fair/waker.h"

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

void NoteWakerSleep(const State& state, Task& task) {
  FairTask& own = task.fair;
  if (own.sum_exec_at_wakeup == SimDuration{0}) {
    Average(own.average_wakeup, state.tunables.wakeup_granularity);
  }
  own.sum_exec_at_wakeup = SimDuration{0};
}

}  // namespace schedlab::sim::fair
