#include "server/synchronize.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"
#include "core/limits.h"

namespace schedlab::server {
namespace {

using std::chrono::microseconds;

// Two renewals may be lost before a lease expires.
constexpr int kRenewalsPerTtl = 3;
constexpr microseconds kLongestPause = std::chrono::milliseconds(500);
// Before a full worker's next call, which waits only for attempts to be stopped. Short attempts end
// earlier, and their report saves that call.
constexpr microseconds kBusyPause = std::chrono::milliseconds(100);

microseconds Scaled(microseconds duration, double factor) {
  return microseconds(static_cast<std::int64_t>(static_cast<double>(duration.count()) * factor));
}

std::int64_t FreeSlots(const SynchronizeRequest& request, const SynchronizeResponse& response) {
  if (request.worker.is_draining) return 0;
  const std::size_t used = request.running.size() + response.leases.size();
  return std::max<std::int64_t>(0, request.worker.slot_count - static_cast<std::int64_t>(used));
}

Status CompleteReports(JobStore& store, const SynchronizeRequest& request,
                       SynchronizeResponse& response) {
  if (request.finished.empty()) return {};
  Result<std::vector<ReportDisposition>> dispositions =
      store.CompleteAttempts(request.worker.name, request.finished);
  if (!dispositions) return Fail(std::move(dispositions.error()));
  SCHEDLAB_CHECK(dispositions->size() == request.finished.size());
  for (std::size_t i = 0; i < request.finished.size(); ++i) {
    const AttemptRef& attempt = request.finished[i].attempt;
    response.receipts.push_back(
        {.run = attempt.run, .attempt = attempt.attempt, .disposition = (*dispositions)[i]});
  }
  return {};
}

// What does not fit is redelivered by the next call.
Status ReconcileLeases(JobStore& store, const SynchronizeRequest& request,
                       SynchronizeResponse& response) {
  Result<LeaseReconciliation> reconciled =
      store.Reconcile({.identity = request.worker, .running = request.running});
  if (!reconciled) return Fail(std::move(reconciled.error()));
  response.stop = std::move(reconciled->stop);
  response.leases = std::move(reconciled->redelivered);
  if (response.leases.size() > static_cast<std::size_t>(kMaxLeasesPerCall)) {
    response.leases.resize(static_cast<std::size_t>(kMaxLeasesPerCall));
  }
  return {};
}

Status AcquireLeases(JobStore& store, const SynchronizeRequest& request,
                     Synchronization& synchronization) {
  SynchronizeResponse& response = synchronization.response;
  const std::int64_t room = kMaxLeasesPerCall - static_cast<std::int64_t>(response.leases.size());
  const std::int64_t count = std::min(room, FreeSlots(request, response));
  if (count == 0) return {};
  Result<AcquiredLeases> acquired =
      store.AcquireLeases(request.worker, static_cast<std::int32_t>(count));
  if (!acquired) return Fail(std::move(acquired.error()));
  std::move(acquired->leases.begin(), acquired->leases.end(), std::back_inserter(response.leases));
  synchronization.queue_waits = std::move(acquired->queue_waits);
  return {};
}

}  // namespace

// The order matters: reports come first, so that a finished attempt is not redelivered; leases are
// acquired last, so that redelivered ones have their slots already.
Result<Synchronization> Synchronize(JobStore& store, const SynchronizeRequest& request) {
  Synchronization done;
  if (Status s = CompleteReports(store, request, done.response); !s) return Fail(s.error());
  if (Status s = ReconcileLeases(store, request, done.response); !s) return Fail(s.error());
  if (Status s = AcquireLeases(store, request, done); !s) return Fail(s.error());
  return done;
}

bool HasNews(const SynchronizeResponse& response) {
  return !response.leases.empty() || !response.stop.empty() || !response.receipts.empty();
}

microseconds LongestWait(const SynchronizeRequest& request, microseconds lease_ttl) {
  return std::clamp(request.max_wait, microseconds(0),
                    std::min<microseconds>(kSynchronizeWait, lease_ttl / kRenewalsPerTtl));
}

microseconds NextCallIn(const SynchronizeRequest& request, const SynchronizeResponse& response,
                        microseconds lease_ttl, double jitter) {
  if (response.leases.size() == static_cast<std::size_t>(kMaxLeasesPerCall)) {
    return microseconds(0);
  }
  if (HasNews(response)) return FreeSlots(request, response) > 0 ? microseconds(0) : kBusyPause;
  const microseconds renewal = lease_ttl / kRenewalsPerTtl;
  if (request.max_wait > microseconds(0)) {
    // It has waited already; the next call waits on.
    return Scaled(std::min(kLongestPause, renewal / 4), jitter);
  }
  return Scaled(renewal, 0.6 + 0.4 * jitter);
}

}  // namespace schedlab::server
