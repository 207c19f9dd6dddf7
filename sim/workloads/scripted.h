#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/kernel.h"
#include "sim/workload.h"

namespace schedlab::sim {

// One step of a scripted task.
struct ScriptStep {
  enum class Kind : std::uint8_t { kRun, kSleep, kBlock, kWake };
  Kind kind = Kind::kRun;
  SimDuration duration{0};  // kRun, kSleep
  std::size_t target = 0;   // kWake: which task of the script
};

// A task that repeats its steps and then exits.
struct ScriptedTask {
  std::string name;
  std::int32_t nice = 0;
  std::vector<CpuNumber> cpus;   // where it may run; empty: everywhere
  CpuNumber start_cpu = kNoCpu;  // kNoCpu: placed as if CPU 0 had forked it
  SimDuration arrival{0};
  std::vector<ScriptStep> steps;
  std::int64_t repeat_count = 1;  // 0: for ever
};

// Tasks that do what a script says. Wakeups of a task that is not blocked are not remembered.
class Scripted final : public Workload {
 public:
  // Requires: each task has a step that takes time or blocks, and targets are in range.
  explicit Scripted(std::vector<ScriptedTask> script);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& kernel, std::int32_t timer) override;
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

  // After a run: the CPU time for its own work that each task had, in the order of the script.
  const std::vector<SimDuration>& WorkDone() const { return work_done_; }

 private:
  struct Progress {
    Task* task = nullptr;
    std::size_t next_step = 0;
    std::int64_t repeats_done = 0;
  };

  void Arrive(Kernel& kernel, std::size_t number);

  const std::vector<ScriptedTask> script_;
  std::vector<Progress> progress_;
  std::vector<SimDuration> work_done_;
};

}  // namespace schedlab::sim
