#pragma once

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// The queues of one CPU as tasks come, go and preempt: what happens at each level of the groups.

enum class Arrival { kWoken, kNew, kMoved };
enum class Departure { kBlocked, kMoved };

// Brings the running task's vruntime up to now.
void UpdateCurrent(State& state, CpuNumber cpu);

// `task` joins or leaves the queue of its group on `cpu`. While it is on none, or is blocked, its
// vruntime is kept relative to the queue that it left (kMoved) or absolute (kBlocked).
void Enqueue(State& state, CpuNumber cpu, Task& task, Arrival arrival);
void Dequeue(State& state, CpuNumber cpu, Task& task, Departure departure);

// Makes the vruntime of a blocked task relative, before it wakes on any queue.
void DetachVruntime(State& state, Task& task);

// Gives a new task its start in the queue of its group on `cpu`, relative to that queue.
void PlaceNew(State& state, CpuNumber cpu, Task& task);

// Asks for a reschedule of `cpu` if `task`, just queued there, should preempt.
void CheckPreemption(State& state, CpuNumber cpu, Task& task, CpuNumber by);
void CheckPreemptionAtTick(State& state, CpuNumber cpu);

// The running task gives up its turn: it is skipped at the next choice.
void YieldCurrent(State& state, CpuNumber cpu);

// Puts the running task back among the waiting ones.
void PutCurrent(State& state, CpuNumber cpu);
// Takes the next task out of the waiting ones and makes it current; null where there is none.
Task* TakeNext(State& state, CpuNumber cpu);

}  // namespace schedlab::sim::fair
