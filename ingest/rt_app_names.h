#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/task_script.h"
#include "ingest/object_reader.h"

namespace schedlab::ingest {

// Numbers the names of one kind in the order in which they first appear.
class NameTable {
 public:
  std::int32_t IndexOf(const std::string& name) {
    const auto [at, is_new] = indices_.emplace(name, count());
    if (is_new) names_.push_back(name);
    return at->second;
  }
  const std::string& NameOf(std::int32_t index) const {
    return names_[static_cast<std::size_t>(index)];
  }
  const std::vector<std::string>& names() const { return names_; }
  std::int32_t count() const { return static_cast<std::int32_t>(names_.size()); }

 private:
  std::map<std::string, std::int32_t, std::less<>> indices_;
  std::vector<std::string> names_;
};

// Where a name stands that can be judged only once the whole file is read.
struct NameUse {
  std::string path;
  std::string name;
  std::size_t thread = 0;
};

// A file while it is read.
struct RtAppReading {
  TaskScript script;
  Findings findings;
  NameTable mutexes, conditions, barriers, semaphores, timers, suspensions, groups;
  std::map<std::string, std::int32_t, std::less<>> thread_indices;
  SchedPolicy default_policy = SchedPolicy::kNormal;
  bool writes_to_null = true;
  std::set<std::string> suspended;  // names of which somebody suspends
  std::vector<NameUse> resumes;
  std::vector<NameUse> barrier_uses;
};

// The thread whose events are being read.
struct ThreadContext {
  RtAppReading& reading;
  std::size_t index;
  ScriptThread& thread;
  NameTable timers{};  // private ones
};

// The event that a key names by its prefix, or nothing where it names none.
bool IsRtAppEvent(std::string_view key);
// Requires: IsRtAppEvent(key).
ScriptEvent ReadRtAppEvent(std::string_view key, const JsonTree& value, const std::string& path,
                           ThreadContext& context);

// Judges what only the whole file shows: names that nobody answers to, locks out of balance,
// barriers that cannot open, threads that never take time.
void CheckRtApp(RtAppReading& reading);

}  // namespace schedlab::ingest
