#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SCHEDLAB_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define SCHEDLAB_THREAD_ANNOTATION(x)
#endif

#define SCHEDLAB_GUARDED_BY(mutex) SCHEDLAB_THREAD_ANNOTATION(guarded_by(mutex))
#define SCHEDLAB_REQUIRES(mutex) SCHEDLAB_THREAD_ANNOTATION(requires_capability(mutex))

namespace schedlab {

// std::mutex with names that clang's -Wthread-safety can check.
class SCHEDLAB_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void Lock() SCHEDLAB_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void Unlock() SCHEDLAB_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

class SCHEDLAB_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SCHEDLAB_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() SCHEDLAB_THREAD_ANNOTATION(release_capability()) { mutex_.Unlock(); }

  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits on a Mutex that the caller holds. Always with a deadline, always in a loop over the
// condition: nothing in schedlab sleeps without one.
class ConditionVariable {
 public:
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

  // Releases `mutex`, waits for a notification or `timeout`, and holds `mutex` again.
  template <class Rep, class Period>
  void WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> timeout) SCHEDLAB_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, timeout);
    lock.release();
  }

 private:
  std::condition_variable condition_;
};

}  // namespace schedlab
