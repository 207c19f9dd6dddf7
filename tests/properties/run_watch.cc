#include "tests/properties/run_watch.h"

namespace schedlab::properties {

using sim::SimTime;

void RunWatch::Settle(SimTime at, CpuLog& cpu) {
  const sim::SimDuration passed = at - cpu.since;
  (!cpu.is_online ? cpu.offline : cpu.is_busy ? cpu.busy : cpu.idle) += passed;
  cpu.since = at;
}

RunWatch::TaskLog& RunWatch::LogOf(const sim::Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  if (tasks_.size() <= index) tasks_.resize(index + 1);
  tasks_[index].task = &task;
  return tasks_[index];
}

void RunWatch::NoteWait(SimTime at, TaskLog& log) {
  const sim::SimDuration wait = at - log.task->runnable_since;
  if (wait <= log.longest_wait) return;
  log.longest_wait = wait;
  log.longest_wait_end = at;
}

void RunWatch::Switched(SimTime at, sim::CpuNumber cpu, const sim::Task* previous,
                        const sim::Task* next) {
  CpuLog& log = cpus_[static_cast<std::size_t>(cpu)];
  Settle(at, log);
  log.is_busy = next != nullptr;
  log.was_evicted =
      next == nullptr && previous != nullptr && previous->state == sim::TaskState::kQueued;
  if (next == nullptr) {
    ++log.idle_starts;
    return;
  }
  ++log.starts;
  log.run_delay += at - next->runnable_since;
  TaskLog& task = LogOf(*next);
  ++task.starts;
  NoteWait(at, task);
}

void RunWatch::Woken(SimTime /*at*/, sim::CpuNumber by, const sim::Task* /*actor*/,
                     const sim::Task& task) {
  ++cpus_[static_cast<std::size_t>(by)].wakeups;
  LogOf(task);
}

void RunWatch::Created(SimTime /*at*/, sim::CpuNumber /*by*/, const sim::Task* /*actor*/,
                       const sim::Task& task) {
  LogOf(task);
}

void RunWatch::OnlineChanged(SimTime at, sim::CpuNumber cpu, bool is_online) {
  CpuLog& log = cpus_[static_cast<std::size_t>(cpu)];
  // Whoever takes a CPU offline takes its task away: no choice of the CPU.
  if (!is_online && log.was_evicted && log.since == at) --log.idle_starts;
  Settle(at, log);
  log.is_online = is_online;
  log.is_busy = false;
}

void RunWatch::Migrated(SimTime /*at*/, const sim::Task& /*task*/, sim::CpuNumber /*from*/,
                        sim::CpuNumber /*to*/) {
  ++migration_count_;
}

void RunWatch::End(SimTime at) {
  for (CpuLog& cpu : cpus_) Settle(at, cpu);
  for (TaskLog& log : tasks_) {
    if (log.task != nullptr && log.task->state == sim::TaskState::kQueued) NoteWait(at, log);
  }
}

}  // namespace schedlab::properties
