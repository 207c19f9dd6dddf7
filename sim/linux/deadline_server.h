#pragma once

#include "sim/task.h"

namespace schedlab::sim::linux {

// The constant-bandwidth server of one deadline task: rules about its runtime and its deadline.

// A fresh start: all of the runtime, due within the relative deadline from `now` on.
void StartServer(Task& task, SimTime now);

// The task wakes. What is left of its runtime may be used up to its deadline unless that would be
// more than its share. A task whose deadline is shorter than its period gets its share of what is
// left instead (Linux 4.13).
void WakeServer(Task& task, SimTime now);

// When a throttled task may go on: at the start of its next period.
SimTime NextPeriod(const Task& task);

// The next period of a throttled task has begun: it gets runtime and deadlines for as many periods
// as its debt asks for.
void ReplenishServer(Task& task, SimTime now);

// The deadline is shorter than the period.
bool IsConstrained(const Task& task);

}  // namespace schedlab::sim::linux
