#include "sim/linux/deadline_server.h"

namespace schedlab::sim::linux {
namespace {

__extension__ using Wide = __int128;

// runtime_left / (deadline - now) > runtime / relative deadline.
bool IsMoreThanItsShare(const Task& task, SimTime now) {
  const Wide left = Wide{task.attributes.deadline_ns} * Ns(task.dl.runtime_left);
  const Wide right = Wide{Ns(task.dl.deadline - now)} * task.attributes.runtime_ns;
  return left > right;
}

}  // namespace

bool IsConstrained(const Task& task) {
  return task.attributes.deadline_ns < task.attributes.period_ns;
}

void StartServer(Task& task, SimTime now) {
  task.dl.runtime_left = SimDuration(task.attributes.runtime_ns);
  task.dl.deadline = now + SimDuration(task.attributes.deadline_ns);
  task.dl.has_started = true;
  task.dl.has_yielded = false;
}

void WakeServer(Task& task, SimTime now) {
  const bool is_past = task.dl.deadline < now;
  if (!is_past && !IsMoreThanItsShare(task, now)) return;
  if (is_past || !IsConstrained(task)) {
    StartServer(task, now);
    return;
  }
  const Wide laxity = Ns(task.dl.deadline - now);
  task.dl.runtime_left = SimDuration(
      static_cast<std::int64_t>(laxity * task.attributes.runtime_ns / task.attributes.deadline_ns));
}

SimTime NextPeriod(const Task& task) {
  return task.dl.deadline + SimDuration(task.attributes.period_ns - task.attributes.deadline_ns);
}

void ReplenishServer(Task& task, SimTime now) {
  if (task.dl.has_yielded && task.dl.runtime_left > SimDuration{0}) {
    task.dl.runtime_left = SimDuration{0};
  }
  while (task.dl.runtime_left <= SimDuration{0}) {
    task.dl.deadline += SimDuration(task.attributes.period_ns);
    task.dl.runtime_left += SimDuration(task.attributes.runtime_ns);
  }
  // It lags so far behind that its old deadlines mean nothing any more.
  if (task.dl.deadline < now) StartServer(task, now);
  task.dl.has_yielded = false;
}

}  // namespace schedlab::sim::linux
