#include "server/work_pool.h"

#include <chrono>
#include <utility>

#include "core/check.h"

namespace schedlab::server {

WorkPool::WorkPool(Size size) : queue_limit_(size.queue_limit) {
  SCHEDLAB_CHECK(size.thread_count > 0);
  for (std::int32_t i = 0; i < size.thread_count; ++i) threads_.emplace_back([this] { Serve(); });
}

WorkPool::~WorkPool() { Finish(); }

void WorkPool::Finish() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  has_work_.NotifyAll();
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool WorkPool::TrySubmit(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (is_ending_ || queue_.size() >= queue_limit_) return false;
    queue_.push_back(std::move(work));
  }
  has_work_.NotifyOne();
  return true;
}

void WorkPool::Serve() {
  while (true) {
    std::function<void()> work;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !is_ending_) has_work_.WaitFor(mutex_, std::chrono::seconds{10});
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace schedlab::server
