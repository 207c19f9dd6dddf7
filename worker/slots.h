#pragma once

#include <deque>
#include <functional>
#include <map>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/lease.h"
#include "core/mutex.h"
#include "worker/run_executor.h"

namespace schedlab::worker {

// A fixed number of threads that execute attempts. Thread-safe.
class Slots {
 public:
  // Called on a slot's thread, once for each started attempt, after its slot is free.
  using Observer = std::function<void(AttemptReport)>;

  Slots(std::int32_t count, RunExecutor& executor, Observer on_finished);
  // Stops every attempt and waits for its end; attempts that have not begun are dropped.
  ~Slots();

  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  // Requires: fewer attempts than slots are started and not finished.
  void Start(Lease lease);
  // Asks a started attempt to end soon; does nothing for any other.
  void Stop(const AttemptRef& attempt);

 private:
  struct Started {
    Lease lease;
    std::stop_token stop;
  };

  void ExecuteUntilStopped(const std::stop_token& stop);
  bool WaitForWork(const std::stop_token& stop, Started& work);
  void Execute(const Started& work);

  const std::size_t count_;
  RunExecutor& executor_;
  const Observer on_finished_;
  Mutex mutex_;
  ConditionVariable has_work_;
  std::deque<Started> queue_ SCHEDLAB_GUARDED_BY(mutex_);
  std::map<AttemptRef, std::stop_source> unfinished_ SCHEDLAB_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use the members above
};

}  // namespace schedlab::worker
