#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The queues of one CPU as tasks come, go and preempt: what happens at each level of the groups.

enum class Arrival { kWoken, kNew, kMoved };
// kBlocked: it may stay queued until it has paid what it used too much, as FairEntity::is_delayed.
enum class Departure { kBlocked, kMoved, kExited };

// Brings the vruntimes of the running task and of the groups above it up to now.
void UpdateCurrent(State& state, CpuNumber cpu);

// `task` joins or leaves the queue of its group on `cpu`. While it is on none, or is blocked, its
// vruntime under CFS is kept relative to the queue that it left (kMoved) or absolute (kBlocked).
void Enqueue(State& state, CpuNumber cpu, Task& task, Arrival arrival);
void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure);

// Makes the vruntime of a blocked task relative, before it wakes on any queue.
void DetachVruntime(State& state, Task& task);

// A delayed task wakes where it is, or leaves its queue at last.
void RequeueDelayed(State& state, Task& task);
void FinishDelayed(State& state, Task& task);

// Gives a new task its start in the queue of its group on `cpu`, relative to that queue.
void PlaceNew(State& state, CpuNumber cpu, Task& task);

// Gives a queued entity another weight, in the books of its queue too. Requires: its vruntime is
// up to date.
void ChangeWeight(State& state, FairEntity& entity, std::int64_t weight);

// `queue` has used up its quota, so that its tasks wait where they are; or it may go on.
void Throttle(State& state, CfsQueue& queue);
void Unthrottle(State& state, CfsQueue& queue);

// A delayed entity has paid. What it is owed by now is forgotten.
void LeaveAtLast(State& state, FairEntity& entity);

// Asks for a reschedule of `cpu` if `task`, just queued there, should preempt.
void CheckPreemption(State& state, CpuNumber cpu, Task& task, CpuNumber by);
void CheckPreemptionAtTick(State& state, CpuNumber cpu);

// The running task gives up its turn.
void YieldCurrent(State& state, CpuNumber cpu);

// Puts the running task back among the waiting ones.
void PutCurrent(State& state, CpuNumber cpu);
// The task to execute next, current from now on; null where there is none.
Task* TakeNext(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
