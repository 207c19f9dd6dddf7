#include "tests/cluster/timeline.h"

#include <algorithm>
#include <utility>

namespace schedlab::testing {

void Timeline::After(std::chrono::microseconds delay, Action action) {
  At(now() + delay, std::move(action));
}

void Timeline::At(std::chrono::microseconds time, Action action) {
  entries_.push(
      {.at = std::max(time, now()), .sequence = ++sequence_, .action = std::move(action)});
}

void Timeline::RunUntil(std::chrono::microseconds end) {
  while (!entries_.empty() && entries_.top().at <= end) {
    const Entry entry = entries_.top();
    entries_.pop();
    clock_.Advance(entry.at - now());
    ++action_count_;
    entry.action();
  }
  clock_.Advance(end - now());
}

}  // namespace schedlab::testing
