#pragma once

#include <cstdint>
#include <vector>

#include "sim/task.h"

namespace schedlab::sim::linux {

// The deadline tasks of one CPU that are not throttled, the running one among them, by deadline;
// of equal deadlines the one that came first.
class DeadlineQueue {
 public:
  void Insert(Task& task, std::uint64_t sequence);
  void Remove(Task& task);

  bool empty() const { return tasks_.empty(); }
  // Requires: not empty.
  Task* Earliest() const { return tasks_.back(); }
  // The earliest last.
  const std::vector<Task*>& tasks() const { return tasks_; }
  std::int32_t movable_count() const { return movable_count_; }

 private:
  std::vector<Task*> tasks_;
  std::int32_t movable_count_ = 0;  // those that may run on several CPUs
};

}  // namespace schedlab::sim::linux
