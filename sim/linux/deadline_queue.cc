#include "sim/linux/deadline_queue.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace schedlab::sim::linux {
namespace {

// Latest first.
bool IsLater(const Task* a, const Task* b) {
  return std::pair(a->dl.deadline, a->dl.queue_sequence) >
         std::pair(b->dl.deadline, b->dl.queue_sequence);
}

}  // namespace

void DeadlineQueue::Insert(Task& task, std::uint64_t sequence) {
  SCHEDLAB_CHECK(!task.dl.is_queued);
  task.dl.queue_sequence = sequence;
  task.dl.is_queued = true;
  tasks_.insert(std::lower_bound(tasks_.begin(), tasks_.end(), &task, IsLater), &task);
  movable_count_ += task.IsPinned() ? 0 : 1;
}

void DeadlineQueue::Remove(Task& task) {
  const auto at = std::lower_bound(tasks_.begin(), tasks_.end(), &task, IsLater);
  SCHEDLAB_CHECK(at != tasks_.end() && *at == &task);
  tasks_.erase(at);
  task.dl.is_queued = false;
  movable_count_ -= task.IsPinned() ? 0 : 1;
}

}  // namespace schedlab::sim::linux
