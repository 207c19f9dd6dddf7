#pragma once

#include <chrono>

#include "core/clock.h"
#include "core/mutex.h"

namespace schedlab::testing {

// A clock that stands until it is advanced. Thread-safe.
class FakeClock final : public Clock {
 public:
  WallTime Now() const override {
    const MutexLock lock(mutex_);
    return now_;
  }

  void Advance(std::chrono::microseconds duration) {
    const MutexLock lock(mutex_);
    now_ += duration;
  }

 private:
  mutable Mutex mutex_;
  WallTime now_ SCHEDLAB_GUARDED_BY(mutex_) = WallTime(std::chrono::hours(24 * 365 * 50));
};

}  // namespace schedlab::testing
