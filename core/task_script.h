#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sched_attributes.h"

namespace schedlab {

// Of all threads of a script together.
inline constexpr std::int64_t kMaxScriptThreads = 100'000;
// Threads forked from one template that are alive at a time.
inline constexpr std::int32_t kMaxForksAlive = 1'024;

// One thing that a thread of a script does. What it acts on is an index: into the script's
// conditions, mutexes and so on, which are only told apart by it.
struct ScriptEvent {
  enum class Kind : std::uint8_t {
    kRun,        // `duration_ns` of work at the speed of the fastest CPU
    kRunFor,     // `duration_ns` of CPU time, on whatever CPU
    kSleep,      // for `duration_ns`
    kTimer,      // until `duration_ns` after the last expiry of timer `target`
    kSuspend,    // until somebody resumes `target`; a resume of nobody is not remembered
    kResume,     // everybody who is suspended as `target`
    kLock,       // mutex `target`
    kUnlock,     // mutex `target`
    kWait,       // on condition `target`, with `mutex`, which it holds
    kSignal,     // condition `target`: who has waited longest
    kBroadcast,  // condition `target`: everybody who waits
    kSync,       // kSignal, then kWait, with `mutex` locked around them where it is not yet
    kBarrier,    // until all users of barrier `target` have come
    kSemPost,    // semaphore `target`
    kSemWait,    // semaphore `target`
    kYield,
    kFork,    // another thread of template `target`
    kMemory,  // work: `byte_count` bytes through the memory
    kNull,    // work: `byte_count` bytes written to a device that drops them
    kDevice,  // blocks while the device writes `byte_count` bytes
  };
  Kind kind = Kind::kRun;
  std::int64_t duration_ns = 0;
  std::int64_t byte_count = 0;
  std::int32_t target = 0;
  std::int32_t mutex = 0;
  bool is_private = false;    // kTimer: `target` is one of the thread's own
  bool locks_itself = false;  // kSync: the mutex is not held before

  friend bool operator==(const ScriptEvent&, const ScriptEvent&) = default;
};

struct ScriptTimer {
  bool is_absolute = false;  // a late expiry does not move the next one

  friend bool operator==(const ScriptTimer&, const ScriptTimer&) = default;
};

inline constexpr std::int64_t kForEver = 0;  // as a number of passes

struct ScriptPhase {
  std::string name;
  std::int64_t pass_count = 1;  // or kForEver
  // What each pass sets before its first event.
  std::optional<SchedAttributes> attributes;
  std::optional<std::int32_t> group;  // of TaskScript::groups
  std::vector<std::int32_t> cpus;     // empty: all
  std::vector<ScriptEvent> events;    // at least one

  friend bool operator==(const ScriptPhase&, const ScriptPhase&) = default;
};

// A kind of thread.
struct ScriptThread {
  std::string name;
  std::int32_t instance_count = 1;     // that start with the script; 0: only a template of kFork
  bool is_forked = false;              // some kFork names it
  std::int64_t delay_ns = 0;           // before the first phase
  std::int64_t pass_count = kForEver;  // over all phases
  SchedAttributes attributes;
  std::optional<std::int32_t> group;
  std::vector<ScriptTimer> timers;  // private: every thread has its own of each
  std::vector<ScriptPhase> phases;  // at least one

  friend bool operator==(const ScriptThread&, const ScriptThread&) = default;
};

// What the user calls the objects that events act on, by their indices; for messages only.
struct ScriptNames {
  std::vector<std::string> suspensions;
  std::vector<std::string> mutexes;
  std::vector<std::string> conditions;
  std::vector<std::string> barriers;
  std::vector<std::string> semaphores;

  friend bool operator==(const ScriptNames&, const ScriptNames&) = default;
};

// What a set of threads does, event by event.
struct TaskScript {
  std::vector<ScriptThread> threads;
  std::vector<std::string> groups;                // cgroups by their paths: "/a/b"
  std::vector<ScriptTimer> timers;                // shared by all threads
  std::vector<std::int32_t> barrier_user_counts;  // by barrier
  std::int32_t suspension_count = 0;
  std::int32_t mutex_count = 0;
  std::int32_t condition_count = 0;
  std::int32_t semaphore_count = 0;
  std::int64_t duration_ns = 0;    // after which all threads are stopped; 0: never
  std::int64_t buffer_bytes = 0;   // of one write to a device
  bool inherits_priority = false;  // who holds a mutex is as urgent as who waits for it
  bool adds_slack = false;         // of all timers of a pass, rather than the last one's
  ScriptNames names;

  friend bool operator==(const TaskScript&, const TaskScript&) = default;
};

}  // namespace schedlab
