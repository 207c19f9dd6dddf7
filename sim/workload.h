#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/task.h"

namespace schedlab::sim {

class Kernel;

// A larger run would be of no use to anybody, and each task needs up to two of the event queue's
// timers.
inline constexpr std::int64_t kMaxTasksPerRun = 131'072;

// How many tasks a workload creates, and what that follows from, in words for an error message.
struct TaskDemand {
  std::int64_t count = 0;
  std::string reason;
};

// What the tasks of a run do. A phase machine: the kernel asks for the next step each time that a
// task, executing, has finished the one before; what the task does in between (wake another, take a
// lock) is done in that call.
class Workload {
 public:
  virtual ~Workload() = default;

  // A run is refused where this is more than kMaxTasksPerRun.
  virtual TaskDemand Demand() const = 0;

  // Before time begins: create tasks and timers, start the first tasks.
  virtual void Start(Kernel& kernel) = 0;

  // `task` is executing on `task.cpu` and has finished its step, or was just woken.
  virtual Step Next(Kernel& kernel, Task& task) = 0;

  // A timer of Kernel::AddTimer() has fired; its interrupt is on the CPU given there.
  virtual void TimerFired(Kernel& kernel, std::int32_t timer) = 0;

  // Of a blocked task: what it waits for, in words that follow "waits"; empty where nobody knows.
  virtual std::string WaitOf(const Task& /*task*/) const { return {}; }

  // After the run: the workload's own metrics, under the names of catalog/metrics.toml.
  virtual void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) = 0;
};

}  // namespace schedlab::sim
