#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "core/mutex.h"

namespace schedlab::server {

// Threads that may block on the database, so that no thread of gRPC does. There are as many as
// there are connections; what waits for one is bounded. Thread-safe.
class WorkPool {
 public:
  struct Size {
    std::int32_t thread_count = 1;
    std::size_t queue_limit = 1;
  };

  explicit WorkPool(Size size);
  ~WorkPool();

  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False, and `work` is dropped, where the queue is full or the pool is ending.
  [[nodiscard]] bool TrySubmit(std::function<void()> work);
  // Runs what was submitted before, then returns; nothing can be submitted any more. May be called
  // twice; the destructor does too.
  void Finish();

 private:
  void Serve();

  const std::size_t queue_limit_;
  Mutex mutex_;
  ConditionVariable has_work_;
  std::deque<std::function<void()>> queue_ SCHEDLAB_GUARDED_BY(mutex_);
  bool is_ending_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // last: they use the members above
};

}  // namespace schedlab::server
