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
constexpr microseconds kRenewalInterval = kLeaseTtl / 3;
constexpr microseconds kLongestPause = std::chrono::milliseconds(500);

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
                     SynchronizeResponse& response) {
  const std::int64_t room = kMaxLeasesPerCall - static_cast<std::int64_t>(response.leases.size());
  const std::int64_t count = std::min(room, FreeSlots(request, response));
  if (count == 0) return {};
  Result<std::vector<Lease>> leases =
      store.AcquireLeases(request.worker, static_cast<std::int32_t>(count));
  if (!leases) return Fail(std::move(leases.error()));
  std::move(leases->begin(), leases->end(), std::back_inserter(response.leases));
  return {};
}

}  // namespace

// The order matters: reports come first, so that a finished attempt is not redelivered; leases are
// acquired last, so that redelivered ones have their slots already.
Result<SynchronizeResponse> Synchronize(JobStore& store, const SynchronizeRequest& request) {
  SynchronizeResponse response;
  if (Status s = CompleteReports(store, request, response); !s) return Fail(std::move(s.error()));
  if (Status s = ReconcileLeases(store, request, response); !s) return Fail(std::move(s.error()));
  if (Status s = AcquireLeases(store, request, response); !s) return Fail(std::move(s.error()));
  return response;
}

bool HasNews(const SynchronizeResponse& response) {
  return !response.leases.empty() || !response.stop.empty() || !response.receipts.empty();
}

microseconds NextCallIn(const SynchronizeRequest& request, const SynchronizeResponse& response,
                        double jitter) {
  const bool may_have_more = FreeSlots(request, response) > 0;
  const bool is_full = response.leases.size() == static_cast<std::size_t>(kMaxLeasesPerCall);
  if (is_full || (may_have_more && HasNews(response))) return microseconds(0);
  if (may_have_more && request.max_wait > microseconds(0)) {
    // It has waited already; the next call waits on.
    return microseconds(
        static_cast<std::int64_t>(static_cast<double>(kLongestPause.count()) * jitter));
  }
  const double factor = 0.8 + 0.4 * jitter;
  return microseconds(
      static_cast<std::int64_t>(static_cast<double>(kRenewalInterval.count()) * factor));
}

}  // namespace schedlab::server
