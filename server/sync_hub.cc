#include "server/sync_hub.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "server/synchronize.h"

namespace schedlab::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kMaxHeldCalls = 10'000;
constexpr milliseconds kPollInterval{200};
constexpr milliseconds kMinimumGap{5};
constexpr milliseconds kCheckInterval{1000};
// How long workers stay away from a coordinator that cannot serve them: spread out, or all of them
// would be back in the same instant.
constexpr milliseconds kShortestAbsence{500};
constexpr milliseconds kAbsenceSpread{2000};
// Calls that one poll retries for runs. A retry that finds some wakes the next poll at once, so
// this bounds only retries in vain, by workers that cannot execute what is queued.
constexpr std::int64_t kMaxLeaseRetries = 32;
// Calls that one poll reconciles: with a poll every 200 ms, 100 calls of the store a second.
constexpr std::int64_t kMaxChecks = 20;
constexpr std::int64_t kMaxForcedChecks = 512;

bool WantsRuns(const SynchronizeRequest& request) {
  const auto running = static_cast<std::int32_t>(request.running.size());
  return !request.worker.is_draining && running < request.worker.slot_count;
}

}  // namespace

SyncHub::SyncHub(JobStore& store, WorkPool& pool, Log& log, Telemetry& telemetry,
                 SyncOptions options)
    : store_(store),
      pool_(pool),
      telemetry_(telemetry),
      options_(std::move(options)),
      jitter_(std::random_device{}()),
      loop_({.component = "sync_hub", .interval = kPollInterval, .minimum_gap = kMinimumGap}, log,
            telemetry, [this](const std::stop_token&) { return Poll(); }) {}

void SyncHub::Take(SyncCall call) {
  const Steady::time_point now = Steady::now();
  const Steady::time_point deadline = now + LongestWait(call.request, options_.lease_ttl);
  const auto waiter = std::make_shared<Waiter>(Waiter{std::move(call), deadline, now});
  if (!pool_.TrySubmit([this, waiter] { Attempt(waiter); })) SendAway(waiter->call);
}

void SyncHub::WakeRunning() {
  {
    const MutexLock lock(mutex_);
    check_all_before_ = Steady::now();
  }
  loop_.Wake();
}

void SyncHub::Drain() {
  std::deque<WaiterRef> held;
  {
    const MutexLock lock(mutex_);
    is_draining_ = true;
    held.swap(waiters_);
  }
  for (const WaiterRef& waiter : held) SendAway(waiter->call);
}

std::size_t SyncHub::held_count() const {
  const MutexLock lock(mutex_);
  return waiters_.size();
}

void SyncHub::Attempt(const WaiterRef& waiter) {
  const SyncCall& call = waiter->call;
  if (call.is_cancelled()) {
    call.answer(Fail(ErrorCode::kCancelled, "the worker is gone"));
    return;
  }
  waiter->checked_at = Steady::now();
  Result<Synchronization> done = Synchronize(store_, call.request);
  if (!done) {
    call.answer(Fail(done.error()));
    return;
  }
  SynchronizeResponse& response = done->response;
  if (!HasNews(response)) {
    HoldBack(waiter);
    return;
  }
  response.next_call_in = NextCallIn(call.request, response, options_.lease_ttl, Jitter());
  call.answer(response);
  Tell(response);
  for (const microseconds wait : done->queue_waits) telemetry_.ObserveQueueWait(wait);
}

void SyncHub::Tell(const SynchronizeResponse& response) {
  for (const ReportReceipt& receipt : response.receipts) {
    telemetry_.CountReport(receipt.disposition);
  }
  if (!response.receipts.empty()) options_.on_reports();
  telemetry_.CountLeasesDelivered(static_cast<std::int64_t>(response.leases.size()));
  // Where there was a run there may be more for the others.
  if (!response.leases.empty()) loop_.Wake();
}

double SyncHub::Jitter() {
  const MutexLock lock(mutex_);
  return std::uniform_real_distribution<double>(0, 1)(jitter_);
}

void SyncHub::HoldBack(const WaiterRef& waiter) {
  if (waiter->deadline <= Steady::now()) {
    AnswerEmpty(waiter->call);
    return;
  }
  bool is_held = false;
  {
    const MutexLock lock(mutex_);
    is_held = !is_draining_ && waiters_.size() < kMaxHeldCalls;
    if (is_held) waiters_.push_back(waiter);
  }
  if (!is_held) SendAway(waiter->call);
}

void SyncHub::AnswerEmpty(const SyncCall& call) {
  SynchronizeResponse response;
  response.next_call_in = NextCallIn(call.request, response, options_.lease_ttl, Jitter());
  call.answer(response);
}

void SyncHub::SendAway(const SyncCall& call) {
  SynchronizeResponse response;
  response.next_call_in =
      kShortestAbsence + std::chrono::duration_cast<microseconds>(Jitter() * kAbsenceSpread);
  call.answer(response);
}

Status SyncHub::Poll() {
  const Steady::time_point now = Steady::now();
  AnswerExpired(now);
  const Result<std::int64_t> leases = CountLeaseRetries();
  // While the database is away a retry would only turn a patient call into a failed one.
  if (!leases) return Fail(leases.error());
  Retry(now, {.leases = *leases, .checks = kMaxChecks, .forced_checks = kMaxForcedChecks});
  return {};
}

Result<std::int64_t> SyncHub::CountLeaseRetries() {
  std::int64_t count = 0;
  for (const WorkerIdentity& kind : KindsThatWait()) {
    if (count >= kMaxLeaseRetries) break;
    const Result<std::int64_t> queued = store_.CountQueued(kind, kMaxLeaseRetries - count);
    if (!queued) return Fail(queued.error());
    count += *queued;
  }
  return count;
}

std::vector<WorkerIdentity> SyncHub::KindsThatWait() {
  const MutexLock lock(mutex_);
  std::vector<WorkerIdentity> kinds;
  for (const WaiterRef& waiter : waiters_) {
    const WorkerIdentity& worker = waiter->call.request.worker;
    const auto is_alike = [&](const WorkerIdentity& kind) {
      return kind.engine_version == worker.engine_version && kind.executors == worker.executors;
    };
    if (!WantsRuns(waiter->call.request)) continue;
    if (std::none_of(kinds.begin(), kinds.end(), is_alike)) kinds.push_back(worker);
  }
  return kinds;
}

void SyncHub::AnswerExpired(Steady::time_point now) {
  std::vector<WaiterRef> expired;
  std::vector<WaiterRef> gone;
  {
    const MutexLock lock(mutex_);
    std::deque<WaiterRef> staying;
    for (WaiterRef& waiter : waiters_) {
      if (waiter->call.is_cancelled()) {
        gone.push_back(std::move(waiter));
      } else if (waiter->deadline <= now) {
        expired.push_back(std::move(waiter));
      } else {
        staying.push_back(std::move(waiter));
      }
    }
    waiters_.swap(staying);
    telemetry_.SetBlockedSynchronizeCalls(static_cast<std::int64_t>(waiters_.size()));
  }
  for (const WaiterRef& waiter : gone) {
    waiter->call.answer(Fail(ErrorCode::kCancelled, "the worker is gone"));
  }
  for (const WaiterRef& waiter : expired) AnswerEmpty(waiter->call);
}

bool SyncHub::ShouldRetry(const Waiter& waiter, Steady::time_point now, Budget& budget) const {
  std::int64_t* left = nullptr;
  if (budget.leases > 0 && WantsRuns(waiter.call.request)) {
    left = &budget.leases;
  } else if (waiter.call.request.running.empty()) {
    return false;
  } else if (waiter.checked_at < check_all_before_) {
    left = &budget.forced_checks;
  } else if (now - waiter.checked_at >= kCheckInterval) {
    left = &budget.checks;
  }
  if (left == nullptr || *left <= 0) return false;
  --*left;
  return true;
}

void SyncHub::Retry(Steady::time_point now, Budget budget) {
  std::vector<WaiterRef> retried;
  {
    const MutexLock lock(mutex_);
    std::deque<WaiterRef> staying;
    for (WaiterRef& waiter : waiters_) {
      if (ShouldRetry(*waiter, now, budget)) {
        retried.push_back(std::move(waiter));
      } else {
        staying.push_back(std::move(waiter));
      }
    }
    waiters_.swap(staying);
  }
  for (const WaiterRef& waiter : retried) {
    if (!pool_.TrySubmit([this, waiter] { Attempt(waiter); })) HoldBack(waiter);
  }
}

}  // namespace schedlab::server
