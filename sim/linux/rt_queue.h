#pragma once

#include <array>
#include <cstdint>

#include "sim/task.h"

namespace schedlab::sim::linux {

// Level 0 is rt_priority 99, the most urgent; kNoRtLevel is behind all of them.
inline constexpr std::int32_t kNoRtLevel = 100;
constexpr std::int32_t RtLevelOf(const SchedAttributes& attributes) {
  return 99 - attributes.rt_priority;
}

// The real-time tasks of one CPU, the running one among them: a list for each level.
class RtQueue {
 public:
  void PushFront(Task& task);
  void PushBack(Task& task);
  void Remove(Task& task);

  // The most urgent level from `from` on that has tasks; kNoRtLevel where there is none.
  std::int32_t NextLevel(std::int32_t from) const;
  std::int32_t HighestLevel() const { return NextLevel(0); }
  Task* First(std::int32_t level) const { return lists_[static_cast<std::size_t>(level)].head; }
  bool IsAlone(const Task& task) const {
    return task.rt.previous == nullptr && task.rt.next == nullptr;
  }

  std::int32_t task_count() const { return task_count_; }
  // Of these, the ones that may run on several CPUs.
  std::int32_t movable_count() const { return movable_count_; }

 private:
  struct List {
    Task* head = nullptr;
    Task* tail = nullptr;
  };

  void Count(const Task& task, std::int32_t delta);

  std::array<List, kNoRtLevel> lists_;
  std::array<std::uint64_t, 2> occupied_{};  // bit by level
  std::int32_t task_count_ = 0;
  std::int32_t movable_count_ = 0;
};

}  // namespace schedlab::sim::linux
