#include "server/sync_hub.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/limits.h"

namespace schedlab::server {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxHeldCalls = 10'000;
constexpr milliseconds kPollInterval{200};
constexpr milliseconds kMinimumGap{5};
constexpr milliseconds kCheckInterval{1000};
// Calls that one poll retries for runs. A retry that finds some wakes the next poll at once, so this
// bounds only retries in vain, by workers that cannot execute what is queued.
constexpr std::int64_t kMaxLeaseRetries = 32;
// Calls that one poll reconciles: with a poll every 200 ms, 100 calls of the store a second.
constexpr std::int64_t kMaxChecks = 20;
constexpr std::int64_t kMaxForcedChecks = 512;

std::int32_t FreeSlots(const SynchronizeRequest& request) {
  if (request.worker.is_draining) return 0;
  const auto running = static_cast<std::int32_t>(request.running.size());
  return std::max(0, request.worker.slot_count - running);
}

bool SaysSomething(const SynchronizeResponse& response) {
  return !response.leases.empty() || !response.stop.empty() || !response.receipts.empty();
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
  // A third of a lease: a call that is held back must not cost the worker its leases.
  const auto wait = std::min<std::chrono::microseconds>(
      {call.request.max_wait, kSynchronizeWait, options_.lease_ttl / 3});
  const auto waiter = std::make_shared<Waiter>(Waiter{std::move(call), now + wait, now});
  if (!pool_.TrySubmit([this, waiter] { Begin(waiter); })) {
    AnswerEmpty(waiter->call, milliseconds{1000}, milliseconds{3000});
  }
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
  // Spread out, or all workers would be at the next coordinator's door in the same instant.
  for (const WaiterRef& waiter : held) {
    AnswerEmpty(waiter->call, milliseconds{100}, milliseconds{2000});
  }
}

void SyncHub::Begin(const WaiterRef& waiter) {
  SynchronizeResponse response;
  if (const Status committed = CommitReports(waiter->call, response); !committed) {
    waiter->call.answer(Fail(committed.error()));
    return;
  }
  if (response.receipts.empty()) {
    Attempt(waiter);
    return;
  }
  // The receipts stand whatever becomes of the rest: reports are not to be sent again.
  const Status filled = FillIn(waiter->call, response);
  if (!filled) telemetry_.CountDatabaseError(filled.error().code);
  waiter->call.answer(response);
}

void SyncHub::Attempt(const WaiterRef& waiter) {
  const SyncCall& call = waiter->call;
  if (call.is_cancelled()) {
    call.answer(Fail(ErrorCode::kCancelled, "the worker is gone"));
    return;
  }
  waiter->checked_at = Steady::now();
  SynchronizeResponse response;
  if (const Status filled = FillIn(call, response); !filled) {
    call.answer(Fail(filled.error()));
    return;
  }
  if (!SaysSomething(response)) {
    HoldBack(waiter);
    return;
  }
  call.answer(response);
  // Where there was a run there may be more for the others.
  if (!response.leases.empty()) loop_.Wake();
}

Status SyncHub::CommitReports(const SyncCall& call, SynchronizeResponse& response) {
  const std::vector<AttemptReport>& reports = call.request.finished;
  if (reports.empty()) return {};
  const Result<std::vector<ReportDisposition>> dispositions =
      store_.CompleteAttempts(call.request.worker.name, reports);
  if (!dispositions) return Fail(dispositions.error());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const AttemptRef& attempt = reports[i].attempt;
    response.receipts.push_back({attempt.run, attempt.attempt, dispositions->at(i)});
    telemetry_.CountReport(dispositions->at(i));
  }
  options_.on_reports();
  return {};
}

Status SyncHub::FillIn(const SyncCall& call, SynchronizeResponse& response) {
  const SynchronizeRequest& request = call.request;
  Result<LeaseReconciliation> reconciled =
      store_.Reconcile({.identity = request.worker, .running = request.running});
  if (!reconciled) return Fail(reconciled.error());
  const auto redelivered = static_cast<std::int32_t>(reconciled->redelivered.size());
  response.leases = std::move(reconciled->redelivered);
  response.stop = std::move(reconciled->stop);
  // What does not fit now is delivered with the next call.
  if (redelivered > kMaxLeasesPerCall) response.leases.resize(kMaxLeasesPerCall);
  const std::int32_t wanted =
      std::min(FreeSlots(request), kMaxLeasesPerCall) - redelivered;
  if (wanted <= 0) return {};
  Result<std::vector<Lease>> leases = store_.AcquireLeases(request.worker, wanted);
  if (!leases) return Fail(leases.error());
  telemetry_.CountLeasesGranted(static_cast<std::int64_t>(leases->size()));
  std::move(leases->begin(), leases->end(), std::back_inserter(response.leases));
  return {};
}

void SyncHub::HoldBack(const WaiterRef& waiter) {
  if (waiter->deadline <= Steady::now()) {
    AnswerEmpty(waiter->call, milliseconds{0}, milliseconds{100});
    return;
  }
  bool is_full = false;
  {
    const MutexLock lock(mutex_);
    is_full = is_draining_ || waiters_.size() >= kMaxHeldCalls;
    if (!is_full) waiters_.push_back(waiter);
  }
  if (is_full) AnswerEmpty(waiter->call, milliseconds{1000}, milliseconds{3000});
}

void SyncHub::AnswerEmpty(const SyncCall& call, milliseconds earliest, milliseconds latest) {
  SynchronizeResponse response;
  {
    const MutexLock lock(mutex_);
    std::uniform_int_distribution<std::int64_t> pick(earliest.count(), latest.count());
    response.next_call_in = milliseconds{pick(jitter_)};
  }
  call.answer(response);
}

Status SyncHub::Poll() {
  const Steady::time_point now = Steady::now();
  AnswerExpired(now);
  Budget budget{.leases = 0, .checks = kMaxChecks, .forced_checks = kMaxForcedChecks};
  Status status;
  if (HasWaiterForRuns()) {
    const Result<QueueSnapshot> queue = store_.ReadQueue();
    if (queue) {
      budget.leases = std::min(queue->queued_count, kMaxLeaseRetries);
    } else {
      status = Fail(queue.error());
    }
  }
  // While the database is away a retry would only turn a patient call into a failed one.
  if (status) Retry(now, budget);
  return status;
}

bool SyncHub::HasWaiterForRuns() {
  const MutexLock lock(mutex_);
  return std::any_of(waiters_.begin(), waiters_.end(), [](const WaiterRef& waiter) {
    return FreeSlots(waiter->call.request) > 0;
  });
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
  for (const WaiterRef& waiter : expired) {
    AnswerEmpty(waiter->call, milliseconds{0}, milliseconds{100});
  }
}

bool SyncHub::ShouldRetry(const Waiter& waiter, Steady::time_point now, Budget& budget) const {
  std::int64_t* left = nullptr;
  if (budget.leases > 0 && FreeSlots(waiter.call.request) > 0) {
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
