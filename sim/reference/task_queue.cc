#include "sim/reference/task_queue.h"

#include "core/check.h"

namespace schedlab::sim::reference {

void TaskQueue::PushBack(Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  if (links_.size() <= index) links_.resize(index + 1);
  SCHEDLAB_CHECK(!links_[index].is_queued);
  links_[index] = {.previous = last_, .next = nullptr, .is_queued = true};
  (last_ != nullptr ? LinksOf(*last_).next : first_) = &task;
  last_ = &task;
  ++size_;
}

void TaskQueue::Remove(Task& task) {
  SCHEDLAB_CHECK(Contains(task));
  const Links links = LinksOf(task);
  (links.previous != nullptr ? LinksOf(*links.previous).next : first_) = links.next;
  (links.next != nullptr ? LinksOf(*links.next).previous : last_) = links.previous;
  LinksOf(task) = {};
  --size_;
}

Task* TaskQueue::FirstFor(CpuNumber cpu) const {
  Task* task = first_;
  while (task != nullptr && !task->MayRunOn(cpu)) task = After(*task);
  return task;
}

}  // namespace schedlab::sim::reference
