#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "core/mutex.h"
#include "core/result.h"
#include "core/synchronization.h"
#include "server/loop.h"
#include "server/store/job_store.h"
#include "server/work_pool.h"

namespace schedlab::server {

// One Synchronize call, as the hub sees it.
struct SyncCall {
  SynchronizeRequest request;
  std::function<bool()> is_cancelled;  // whether nobody waits for the answer any more
  // Called exactly once, from any thread.
  std::function<void(const Result<SynchronizeResponse>&)> answer;
};

struct SyncOptions {
  std::chrono::milliseconds lease_ttl{};
  std::function<void()> on_reports;  // after reports were committed: jobs may have ended
};

// Answers the calls of workers: commits their reports, tells them which attempts to stop and leases
// them runs. A call with nothing to say is held back, without a thread, until there is: until news
// of this coordinator, or until a poll finds what another one did. One queue check serves all calls
// that wait for runs; those with running attempts are reconciled again about once a second, as far
// as a fixed budget goes, so that a cancelled run stops soon. Thread-safe.
class SyncHub {
 public:
  SyncHub(JobStore& store, WorkPool& pool, Log& log, Telemetry& telemetry, SyncOptions options);

  void Take(SyncCall call);
  // Runs may have been queued.
  void Wake() { loop_.Wake(); }
  // Runs may have been cancelled.
  void WakeRunning();
  // Answers every call that is held back, and later ones at once.
  void Drain();
  // Calls that are held back.
  std::size_t held_count() const;

 private:
  using Steady = std::chrono::steady_clock;

  struct Waiter {
    SyncCall call;
    Steady::time_point deadline;
    Steady::time_point checked_at;  // when it was last reconciled
  };
  // Shared because the pool's queue holds copyable functions.
  using WaiterRef = std::shared_ptr<Waiter>;

  // How many more waiters one poll may retry.
  struct Budget {
    std::int64_t leases = 0;
    std::int64_t checks = 0;
    std::int64_t forced_checks = 0;
  };

  void Attempt(const WaiterRef& waiter);
  void Tell(const SynchronizeResponse& response);
  void HoldBack(const WaiterRef& waiter);
  void AnswerEmpty(const SyncCall& call);
  // For a worker that cannot be served now.
  void SendAway(const SyncCall& call);
  double Jitter();

  Status Poll();
  // One for each kind of worker that waits for runs: of those alike in what they can execute.
  std::vector<WorkerIdentity> KindsThatWait();
  // For how many waiters there are runs, up to the most that one poll retries.
  Result<std::int64_t> CountLeaseRetries();
  void AnswerExpired(Steady::time_point now);
  void Retry(Steady::time_point now, Budget budget);
  bool ShouldRetry(const Waiter& waiter, Steady::time_point now, Budget& budget) const
      SCHEDLAB_REQUIRES(mutex_);

  JobStore& store_;
  WorkPool& pool_;
  Telemetry& telemetry_;
  const SyncOptions options_;
  mutable Mutex mutex_;
  bool is_draining_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  // Waiters that were last checked before this instant are checked again whatever their age.
  Steady::time_point check_all_before_ SCHEDLAB_GUARDED_BY(mutex_);
  std::deque<WaiterRef> waiters_ SCHEDLAB_GUARDED_BY(mutex_);
  std::mt19937_64 jitter_ SCHEDLAB_GUARDED_BY(mutex_);
  Loop loop_;  // last: it uses the members above
};

}  // namespace schedlab::server
