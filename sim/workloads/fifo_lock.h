#pragma once

#include <deque>

#include "sim/task.h"

namespace schedlab::sim {

// A sleeping lock that is handed to the task that has waited longest, as a kernel mutex under
// contention does.
class FifoLock {
 public:
  // Whether `task` owns the lock now; otherwise it is to block and owns it when it is woken.
  bool Take(Task& task) {
    if (!is_held_) {
      is_held_ = true;
      return true;
    }
    waiting_.push_back(&task);
    return false;
  }

  // The new owner, to be woken; null where nobody waits.
  Task* Give() {
    if (waiting_.empty()) {
      is_held_ = false;
      return nullptr;
    }
    Task* const next = waiting_.front();
    waiting_.pop_front();
    return next;
  }

 private:
  bool is_held_ = false;
  std::deque<Task*> waiting_;
};

}  // namespace schedlab::sim
