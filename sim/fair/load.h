#pragma once

#include <cstdint>

#include "sim/fair/pelt.h"
#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// What the balancer and the placement of wakeups see of a CPU and of a task. They read loads
// through these functions only; what a load is differs between revisions.

// What the averages of a queue come to once a segment has ended that they do not know of yet:
// worked out anew, and at most once an instant.
QueueAverages ComputeAveragesPastSegment(const CfsQueue& queue, SimTime now);
const QueueAverages& AveragesPastSegment(const CfsQueue& queue, SimTime now);

// The averages of a queue as they would be if they were brought up to now.
inline QueueAverages AveragesNow(const State& state, const CfsQueue& queue) {
  const SimTime now = state.machine.now();
  if (EndsSegment(queue.averages, now)) return AveragesPastSegment(queue, now);
  return AveragesIn(queue.averages);
}
inline QueueAverages AveragesOf(const State& state, CpuNumber cpu) {
  return AveragesNow(state, state.Queue(cpu).root);
}

// The load of the fair tasks of `cpu`, in units of weight (1024 = one task of nice 0), by the
// switch load_view.
std::int64_t CpuLoad(const State& state, CpuNumber cpu);

// What a runnable task adds to the load of its CPU, and would take away from it.
std::int64_t TaskLoad(const State& state, const Task& task);

// The load of a task of `cpu` on average, 0 where there is none.
std::int64_t CpuLoadPerTask(const State& state, CpuNumber cpu);

// PELT averages of the CPU time that was used and asked for, 1024 = one CPU, with what tasks have
// left that now sleep. Kept up only where
// State::tracks_averages says so.
std::int64_t CpuUtil(const State& state, CpuNumber cpu);
std::int64_t CpuRunnable(const State& state, CpuNumber cpu);
// The part of `task` in the utilisation of its CPU; while it sleeps, that when it went to sleep.
std::int64_t TaskUtil(const Task& task);

// Whether a wakeup takes `cpu` for idle. By the switch sched_idle_cpus, also where it has nothing
// but tasks of SCHED_IDLE.
bool IsIdleToWakeups(const State& state, CpuNumber cpu);

// Whether a queued task waits for the quota of its group, or of one above it. It is not to be
// moved, nor to be counted.
bool IsThrottled(const Task& task);

// Whether a queued task is what its queue wants to execute next, or wants back.
bool IsBuddy(const Task& task);

}  // namespace schedlab::sim::fair
