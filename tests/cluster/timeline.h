#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "tests/support/fake_clock.h"

namespace schedlab::testing {

// Runs actions in order of their time, and of their scheduling within one instant, and moves the
// clock along: the whole cluster in one thread.
class Timeline {
 public:
  using Action = std::function<void()>;

  explicit Timeline(FakeClock& clock) : clock_(clock), start_(clock.Now()) {}

  // Time since the start.
  std::chrono::microseconds now() const { return clock_.Now() - start_; }
  std::int64_t action_count() const { return action_count_; }

  void After(std::chrono::microseconds delay, Action action);
  void At(std::chrono::microseconds time, Action action);
  // Runs what is due up to `end`, then stands at `end`.
  void RunUntil(std::chrono::microseconds end);

 private:
  struct Entry {
    std::chrono::microseconds at;
    std::int64_t sequence;
    Action action;
    friend bool operator>(const Entry& a, const Entry& b) {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  FakeClock& clock_;
  const WallTime start_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::int64_t sequence_ = 0;
  std::int64_t action_count_ = 0;
};

}  // namespace schedlab::testing
