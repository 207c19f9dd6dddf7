#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/kernel.h"
#include "sim/workload.h"

namespace schedlab::sim {

// One step of a scripted task.
struct ScriptStep {
  enum class Kind : std::uint8_t {
    kRun,
    kRunFor,
    kSpin,
    kYield,
    kExec,
    kSleep,
    kSleepUntil,  // the next multiple of `duration` after its arrival
    kBlock,
    kExit,
    kWake,
    kWakeSync,  // the waker says that it is about to block
    kRelease,   // ends the target's kSpin
  };
  Kind kind = Kind::kRun;
  SimDuration duration{0};
  std::size_t target = 0;  // which task of the script
};

// A task that repeats its steps and then exits.
struct ScriptedTask {
  std::string name;
  SchedAttributes attributes;
  std::size_t group = 0;         // of the script, 0 is the root
  std::vector<CpuNumber> cpus;   // where it may run; empty: everywhere
  CpuNumber start_cpu = kNoCpu;  // kNoCpu: placed as if CPU 0 had forked it
  SimDuration arrival{0};
  std::vector<ScriptStep> steps;
  std::int64_t repeat_count = 1;  // 0: for ever
};

struct ScriptedGroup {
  std::string name;
  std::size_t parent = 0;  // 0 is the root, which is none of the script's own; else an earlier one
  std::int64_t shares = 1024;
  SimDuration quota{0};
  SimDuration period{100'000'000};
  std::vector<CpuNumber> cpus;  // empty: the parent's
};

struct AttributesChange {
  std::size_t task = 0;
  SchedAttributes value;
};
struct AffinityChange {
  std::size_t task = 0;
  std::vector<CpuNumber> cpus;
};
struct GroupChange {
  std::size_t task = 0;
  std::size_t group = 0;
};
struct SettingsChange {
  std::size_t group = 1;  // not the root; name and parent stay
  ScriptedGroup value;
};

// What somebody else does to a task or to a group in the course of a run.
struct ScriptedChange {
  SimDuration at{0};
  std::variant<AttributesChange, AffinityChange, GroupChange, SettingsChange> what;
};

struct Script {
  std::vector<ScriptedTask> tasks;
  std::vector<ScriptedGroup> groups;  // the first is group 1
  std::vector<ScriptedChange> changes;
};

// Tasks that do what a script says. Wakeups of a task that is not blocked are not remembered.
class Scripted final : public Workload {
 public:
  // Requires: each task has a step that can pause; targets, groups and CPUs are in
  // range; attributes are valid.
  explicit Scripted(Script script);
  explicit Scripted(std::vector<ScriptedTask> tasks);

  // The step takes time, or waits.
  static bool CanPause(const ScriptStep& step);

  TaskDemand Demand() const override;
  void Start(Kernel& kernel) override;
  Step Next(Kernel& kernel, Task& task) override;
  void TimerFired(Kernel& kernel, std::int32_t timer) override;
  void AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) override;

  // After a run: the CPU time for its own work that each task had, in the order of the script.
  const std::vector<SimDuration>& WorkDone() const { return work_done_; }

  // An activation is one round of a task's steps. After a run: the longest that one took, from when
  // it was due (the arrival, or what the last kSleepUntil waited for) until its last step ended;
  // empty for a task that has finished none.
  const std::vector<SimDuration>& LongestResponses() const { return longest_; }
  // Activations that were finished.
  const std::vector<std::int64_t>& ActivationCounts() const { return activations_; }

  // A task that the policy did not admit stays as it was.
  struct Refusal {
    SimTime at;
    std::size_t task = 0;
    std::string message;
  };
  const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  struct Progress {
    Task* task = nullptr;
    std::size_t next_step = 0;
    std::int64_t repeats_done = 0;
    SimTime due;
  };

  void Arrive(Kernel& kernel, std::size_t number);
  void Apply(Kernel& kernel, const ScriptedChange& change);
  void SetAttributes(Kernel& kernel, std::size_t number, const SchedAttributes& attributes);
  void NoteRoundDone(const Kernel& kernel, std::size_t number);
  Step SleepUntilNext(const Kernel& kernel, std::size_t number, SimDuration period);

  const Script script_;
  std::vector<TaskGroup*> groups_;
  std::vector<Progress> progress_;
  std::vector<SimDuration> work_done_;
  std::vector<SimDuration> longest_;
  std::vector<std::int64_t> activations_;
  std::vector<Refusal> refusals_;
};

}  // namespace schedlab::sim
