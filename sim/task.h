#pragma once

#include <cstdint>
#include <string>

#include "core/sched_attributes.h"
#include "sim/cpu_set.h"
#include "sim/event_queue.h"
#include "sim/fair/entity.h"
#include "sim/sim_time.h"
#include "sim/task_group.h"

namespace schedlab::sim {

enum class TaskState {
  kDormant,  // not started, or exited
  kBlocked,
  kQueued,
  kRunning,
};

// The session of kernel threads.
inline constexpr std::int32_t kNoSession = -1;

// What the real-time class keeps about a task.
struct RtEntity {
  struct Task* previous = nullptr;  // in the list of its level
  struct Task* next = nullptr;
  std::int32_t level = 0;  // where it is queued, or was last; 0 is the most urgent
  std::int64_t slice_ticks_left = 0;
  bool was_first = false;  // of its level, when it was taken out to be changed
};

// What the deadline class keeps about a task: its constant-bandwidth server.
struct DeadlineEntity {
  SimDuration runtime_left{0};
  SimTime deadline;
  std::uint64_t queue_sequence = 0;  // orders equal deadlines
  std::int32_t timer = -1;           // of the policy; ends its throttling
  std::int64_t admitted = 0;         // bandwidth in parts of 2^20; 0 = none
  bool has_started = false;          // runtime_left and deadline mean something
  bool has_yielded = false;          // what is left of its runtime
  bool is_queued = false;            // runnable and not throttled
};

// A schedulable entity. Addresses are stable for a whole run. What every event of a task touches is
// together, and what few do comes last.
struct Task {
  FairTask fair;

  TaskState state = TaskState::kDormant;
  CpuNumber cpu = 0;          // whose queue it is on, or was on last
  CpuNumber ran_on = kNoCpu;  // where it executed last
  std::int32_t index = 0;     // dense from 0, in the order of creation
  CpuSetRef
      allowed;  // of `affinity`, those of its group; all of the group's where that leaves none
  const CpuSet* online = nullptr;  // of its machine
  std::int32_t allowed_count = 0;
  bool is_timed = false;      // its step lasts so long, whatever the CPU's speed
  bool is_spinning = false;   // its step ends when somebody releases it
  bool is_throttled = false;  // runnable, but its policy withholds the CPU from it
  bool is_woken = false;      // became runnable by a wakeup and has not run since
  SimDuration work_left{0};   // of its step, at the speed of an undisturbed CPU
  SimDuration work_done{0};
  SimTime runnable_since;

  SimTime running_since;                      // where it runs
  SimDuration cpu_time{0};                    // from switches to it until switches away
  SimDuration run_delay{0};                   // waited, runnable
  std::int64_t switch_count = 0;              // times that it left a CPU
  std::int64_t involuntary_switch_count = 0;  // of these, runnable
  TimerId timer{};
  std::int32_t role = 0;           // the workload's own
  std::int32_t number = 0;         // the workload's own, within the role
  std::int32_t session = 0;        // setsid(2): tasks of one autogroup
  std::int32_t address_space = 0;  // threads of one process share theirs; by default its index

  SchedAttributes attributes;
  TaskGroup* group = nullptr;              // never null once the kernel has created it
  std::int64_t footprint_permille = 1000;  // of the cost table's full cache refill

  SimTime started_at;  // when it last ceased to be dormant
  CpuSetRef affinity;  // what it asked for
  RtEntity rt;
  DeadlineEntity dl;
  std::string name;

  // Somebody who could be executed by some idle CPU.
  bool CountsAsWaiting() const {
    return state == TaskState::kQueued && !IsPinned() && !is_throttled;
  }
  bool IsPinned() const { return allowed_count == 1; }
  bool MayRunOn(CpuNumber where) const {
    return allowed.Contains(where) && online->Contains(where);
  }
  // The first CPU that it may run on; kNoCpu where all that are allowed are offline.
  CpuNumber FirstAllowed() const {
    CpuNumber first = allowed.First();
    while (first != kNoCpu && !online->Contains(first)) first = allowed.NextFrom(first + 1);
    return first;
  }
};

// No step is longer: what lasts for ever lasts this long, twice the longest run.
inline constexpr SimDuration kEndless{7'200'000'000'000};

// What a task does next. A workload decides it each time the step before has ended.
struct Step {
  enum class Kind : std::uint8_t {
    kRun,         // `duration` of work: longer on a slow CPU
    kRunFor,      // `duration` of CPU time, on whatever CPU
    kSpin,        // executes until Kernel::Release(), for `duration` of CPU time at most
    kYield,       // lets others go first
    kExec,        // begins another program, for which the policy may choose another CPU
    kSleep,       // for `duration`, woken by a timer of the CPU it was on
    kSleepUntil,  // until `at`, likewise; not at all where that is past
    kBlock,       // until somebody wakes it
    kExit,
  };
  Kind kind = Kind::kBlock;
  SimDuration duration{0};
  SimTime at;

  static Step Run(SimDuration work) { return {Kind::kRun, work, {}}; }
  static Step RunFor(SimDuration cpu_time) { return {Kind::kRunFor, cpu_time, {}}; }
  static Step Spin(SimDuration limit = kEndless) { return {Kind::kSpin, limit, {}}; }
  static Step Yield() { return {Kind::kYield, SimDuration{0}, {}}; }
  static Step Exec() { return {Kind::kExec, SimDuration{0}, {}}; }
  static Step Sleep(SimDuration duration) { return {Kind::kSleep, duration, {}}; }
  static Step SleepUntil(SimTime at) { return {Kind::kSleepUntil, SimDuration{0}, at}; }
  static Step Block() { return {Kind::kBlock, SimDuration{0}, {}}; }
  static Step Exit() { return {Kind::kExit, SimDuration{0}, {}}; }
};

}  // namespace schedlab::sim
