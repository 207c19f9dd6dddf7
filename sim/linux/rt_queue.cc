#include "sim/linux/rt_queue.h"

#include <bit>

namespace schedlab::sim::linux {

void RtQueue::PushFront(Task& task) {
  List& list = lists_[static_cast<std::size_t>(task.rt.level)];
  task.rt.previous = nullptr;
  task.rt.next = list.head;
  (list.head != nullptr ? list.head->rt.previous : list.tail) = &task;
  list.head = &task;
  Count(task, 1);
}

void RtQueue::PushBack(Task& task) {
  List& list = lists_[static_cast<std::size_t>(task.rt.level)];
  task.rt.next = nullptr;
  task.rt.previous = list.tail;
  (list.tail != nullptr ? list.tail->rt.next : list.head) = &task;
  list.tail = &task;
  Count(task, 1);
}

void RtQueue::Remove(Task& task) {
  List& list = lists_[static_cast<std::size_t>(task.rt.level)];
  Task* const previous = task.rt.previous;
  Task* const next = task.rt.next;
  (previous != nullptr ? previous->rt.next : list.head) = next;
  (next != nullptr ? next->rt.previous : list.tail) = previous;
  task.rt.previous = nullptr;
  task.rt.next = nullptr;
  Count(task, -1);
}

void RtQueue::Count(const Task& task, std::int32_t delta) {
  task_count_ += delta;
  if (!task.IsPinned()) movable_count_ += delta;
  const auto level = static_cast<unsigned>(task.rt.level);
  std::uint64_t& word = occupied_[level / 64];
  const std::uint64_t bit = std::uint64_t{1} << (level % 64);
  word = lists_[level].head != nullptr ? word | bit : word & ~bit;
}

std::int32_t RtQueue::NextLevel(std::int32_t from) const {
  for (auto word = static_cast<std::size_t>(from) / 64; word < occupied_.size(); ++word) {
    std::uint64_t bits = occupied_[word];
    if (word == static_cast<std::size_t>(from) / 64) {
      bits &= ~std::uint64_t{0} << (static_cast<unsigned>(from) % 64);
    }
    if (bits != 0) return static_cast<std::int32_t>(word * 64) + std::countr_zero(bits);
  }
  return kNoRtLevel;
}

}  // namespace schedlab::sim::linux
