#include "sim/event_queue.h"

#include <algorithm>

namespace schedlab::sim {

EventQueue::EventQueue() : nodes_(2, kUnarmed) {}

TimerId EventQueue::AddTimer() {
  SCHEDLAB_CHECK(timer_count_ < kTimerMask);
  if (timer_count_ == leaf_count_) Grow();
  return static_cast<TimerId>(timer_count_++);
}

void EventQueue::AdvanceTo(SimTime at) {
  SCHEDLAB_CHECK(at >= now_ && at <= NextAt());
  now_ = at;
}

void EventQueue::Grow() {
  Settle();
  const std::size_t old_count = leaf_count_;
  std::vector<WideKey> grown(old_count * 4, kUnarmed);
  std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(old_count), old_count,
              grown.begin() + static_cast<std::ptrdiff_t>(old_count * 2));
  leaf_count_ = old_count * 2;
  nodes_ = std::move(grown);
  for (std::size_t at = leaf_count_ - 1; at > 0; --at) {
    nodes_[at] = std::min(nodes_[2 * at], nodes_[2 * at + 1]);
  }
}

}  // namespace schedlab::sim
