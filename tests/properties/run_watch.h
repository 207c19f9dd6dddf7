#pragma once

#include <cstdint>
#include <vector>

#include "sim/observer.h"

namespace schedlab::properties {

// What an onlooker can say about a run without a look into the simulator's own books.
class RunWatch final : public sim::Observer {
 public:
  struct CpuLog {
    sim::SimTime since;  // of what it does now
    bool is_busy = false;
    bool is_online = true;
    bool was_evicted = false;  // its task was still runnable when it went idle, last
    sim::SimDuration busy{0};
    sim::SimDuration idle{0};
    sim::SimDuration offline{0};
    sim::SimDuration run_delay{0};
    std::int64_t starts = 0;
    std::int64_t idle_starts = 0;
    std::int64_t wakeups = 0;
  };
  struct TaskLog {
    const sim::Task* task = nullptr;
    std::int64_t starts = 0;
    sim::SimDuration longest_wait{0};
    sim::SimTime longest_wait_end;
  };

  explicit RunWatch(std::int32_t cpu_count) : cpus_(static_cast<std::size_t>(cpu_count)) {}

  void Switched(sim::SimTime at, sim::CpuNumber cpu, const sim::Task* previous,
                const sim::Task* next) override;
  void Woken(sim::SimTime at, sim::CpuNumber by, const sim::Task* actor,
             const sim::Task& task) override;
  void Created(sim::SimTime at, sim::CpuNumber by, const sim::Task* actor,
               const sim::Task& task) override;
  void OnlineChanged(sim::SimTime at, sim::CpuNumber cpu, bool is_online) override;
  void Migrated(sim::SimTime at, const sim::Task& task, sim::CpuNumber from,
                sim::CpuNumber to) override;

  // While the run's tasks are still there: what lasts is counted up to `at`.
  void End(sim::SimTime at);

  const std::vector<CpuLog>& cpus() const { return cpus_; }
  const std::vector<TaskLog>& tasks() const { return tasks_; }  // by index; not all may be known
  std::int64_t migration_count() const { return migration_count_; }

 private:
  void Settle(sim::SimTime at, CpuLog& cpu);
  TaskLog& LogOf(const sim::Task& task);
  static void NoteWait(sim::SimTime at, TaskLog& log);

  std::vector<CpuLog> cpus_;
  std::vector<TaskLog> tasks_;
  std::int64_t migration_count_ = 0;
};

}  // namespace schedlab::properties
