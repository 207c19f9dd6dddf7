#pragma once

#include <chrono>

namespace schedlab::client {

// How long a coordinator has been away. A silent one is not: only a stream that breaks begins an
// outage, and the next answer ends it.
class Outage {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void Answered() { is_away_ = false; }
  void Broke(TimePoint now) {
    if (!is_away_) began_at_ = now;
    is_away_ = true;
  }
  bool IsLongerThan(std::chrono::steady_clock::duration limit, TimePoint now) const {
    return is_away_ && now - began_at_ > limit;
  }

 private:
  bool is_away_ = false;
  TimePoint began_at_;
};

}  // namespace schedlab::client
