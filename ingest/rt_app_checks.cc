#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ingest/rt_app_names.h"

namespace schedlab::ingest {
namespace {

using Kind = ScriptEvent::Kind;

std::string PathOf(const ScriptThread& thread, const ScriptPhase& phase) {
  return phase.name.empty() ? fmt::format("tasks.{}", thread.name)
                            : fmt::format("tasks.{}.phases.{}", thread.name, phase.name);
}

void CheckThreadCount(RtAppReading& reading) {
  std::int64_t count = 0;
  for (const ScriptThread& thread : reading.script.threads) count += thread.instance_count;
  if (count > kMaxScriptThreads) {
    reading.findings.Refuse("tasks", fmt::format("there are {} threads; at most {} are allowed",
                                                 count, kMaxScriptThreads));
  }
  if (count == 0) reading.findings.Refuse("tasks", "no thread starts: every instance is 0");
}

void CheckResumes(RtAppReading& reading) {
  for (const NameUse& resume : reading.resumes) {
    if (reading.suspended.count(resume.name) != 0) continue;
    if (reading.thread_indices.count(resume.name) != 0) continue;
    reading.findings.Refuse(
        resume.path,
        fmt::format("nothing is suspended as '{}' and no thread has that name", resume.name));
  }
}

void MarkForked(TaskScript& script) {
  std::vector<std::size_t> targets;
  for (const ScriptThread& thread : script.threads) {
    for (const ScriptPhase& phase : thread.phases) {
      for (const ScriptEvent& event : phase.events) {
        if (event.kind == Kind::kFork) targets.push_back(static_cast<std::size_t>(event.target));
      }
    }
  }
  for (const std::size_t target : targets) script.threads[target].is_forked = true;
}

// How many come must be known.
void CheckBarriers(RtAppReading& reading) {
  for (const NameUse& use : reading.barrier_uses) {
    if (!reading.script.threads[use.thread].is_forked) continue;
    reading.findings.Refuse(use.path, "a thread that is forked cannot use a barrier");
  }
}

// Which mutexes a thread holds, in the order of its events. A pass over a phase that is repeated
// must leave them as they were, and the end of a thread none.
class LockWalk {
 public:
  explicit LockWalk(RtAppReading& reading) : reading_(reading) {}

  void Walk(ScriptThread& thread) {
    held_.clear();
    for (ScriptPhase& phase : thread.phases) {
      path_ = PathOf(thread, phase);
      const std::set<std::int32_t> before = held_;
      for (ScriptEvent& event : phase.events) Step(event);
      if (phase.pass_count != 1 && held_ != before) {
        reading_.findings.Refuse(path_,
                                 "its end holds other mutexes than its beginning, and it "
                                 "is repeated");
      }
    }
    if (!held_.empty()) {
      reading_.findings.Refuse(
          path_, fmt::format("the thread ends with mutex '{}' locked", NameOf(*held_.begin())));
    }
  }

 private:
  void Step(ScriptEvent& event) {
    const bool holds_target = held_.count(event.target) != 0;
    const bool holds_mutex = held_.count(event.mutex) != 0;
    if (event.kind == Kind::kLock) {
      if (holds_target) Refuse(event.target, "locks mutex '{}', which it holds already");
      held_.insert(event.target);
    } else if (event.kind == Kind::kUnlock) {
      if (!holds_target) Refuse(event.target, "unlocks mutex '{}', which it does not hold");
      held_.erase(event.target);
    } else if (event.kind == Kind::kWait && !holds_mutex) {
      Refuse(event.mutex, "waits with mutex '{}', which it does not hold");
    } else if (event.kind == Kind::kSync) {
      event.locks_itself = !holds_mutex;
    }
  }
  void Refuse(std::int32_t mutex, std::string_view why) {
    reading_.findings.Refuse(path_, fmt::format(fmt::runtime(why), NameOf(mutex)));
  }
  const std::string& NameOf(std::int32_t mutex) const { return reading_.mutexes.NameOf(mutex); }

  RtAppReading& reading_;
  std::set<std::int32_t> held_;
  std::string path_;
};

bool Posts(const ScriptThread& thread, std::int32_t semaphore) {
  for (const ScriptPhase& phase : thread.phases) {
    for (const ScriptEvent& event : phase.events) {
      if (event.kind == Kind::kSemPost && event.target == semaphore) return true;
    }
  }
  return false;
}

// Whether time passes before the next event of the thread, or may.
bool TakesTime(const ScriptEvent& event, const ScriptThread& thread) {
  switch (event.kind) {
    case Kind::kRun:
    case Kind::kRunFor:
    case Kind::kSleep:
    case Kind::kTimer:
      return event.duration_ns > 0;
    case Kind::kMemory:
    case Kind::kNull:
    case Kind::kDevice:
      return event.byte_count > 0;
    case Kind::kSuspend:
    case Kind::kWait:
    case Kind::kSync:
    case Kind::kBarrier:
      return true;
    case Kind::kSemWait:
      return !Posts(thread, event.target);
    case Kind::kResume:
    case Kind::kLock:
    case Kind::kUnlock:
    case Kind::kSignal:
    case Kind::kBroadcast:
    case Kind::kSemPost:
    case Kind::kYield:
    case Kind::kFork:
      return false;
  }
  return false;
}

bool TakesTime(const ScriptPhase& phase, const ScriptThread& thread) {
  return std::any_of(phase.events.begin(), phase.events.end(),
                     [&](const ScriptEvent& event) { return TakesTime(event, thread); });
}

void CheckProgress(const ScriptThread& thread, Findings& findings) {
  bool takes_time = false;
  for (const ScriptPhase& phase : thread.phases) {
    const bool phase_takes_time = TakesTime(phase, thread);
    takes_time = takes_time || phase_takes_time;
    if (phase.pass_count == kForEver && !phase_takes_time) {
      findings.Refuse(PathOf(thread, phase), "repeats for ever and never takes time");
    }
  }
  if (thread.pass_count == kForEver && !takes_time) {
    findings.Refuse(fmt::format("tasks.{}", thread.name), "repeats for ever and never takes time");
  }
}

}  // namespace

void CheckRtApp(RtAppReading& reading) {
  CheckThreadCount(reading);
  CheckResumes(reading);
  MarkForked(reading.script);
  CheckBarriers(reading);
  LockWalk walk(reading);
  for (ScriptThread& thread : reading.script.threads) {
    walk.Walk(thread);
    CheckProgress(thread, reading.findings);
  }
}

}  // namespace schedlab::ingest
