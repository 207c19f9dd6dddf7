#include "tests/contract/job_store_contract.h"

#include <utility>

#include "core/limits.h"
#include "tests/support/builders.h"

namespace schedlab::testing {
namespace {

template <class T>
T ValueOf(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return T();
  }
  return std::move(*result);
}

}  // namespace

Job JobStoreContract::Create(const server::NewJob& job) {
  return ValueOf(store().CreateJob(job)).job;
}

Job JobStoreContract::Get(JobId id) { return ValueOf(store().GetJob(id)); }

std::vector<::schedlab::Run> JobStoreContract::Runs(JobId id) {
  return ValueOf(store().ListRuns(id, {.size = 1000, .token = ""})).items;
}

std::vector<Lease> JobStoreContract::Acquire(const WorkerIdentity& worker, std::int32_t count) {
  return ValueOf(store().AcquireLeases(worker, count)).leases;
}

Lease JobStoreContract::AcquireOne(const WorkerIdentity& worker) {
  const std::vector<Lease> leases = Acquire(worker, 1);
  EXPECT_EQ(leases.size(), 1U);
  return leases.empty() ? Lease() : leases.front();
}

ReportDisposition JobStoreContract::Complete(const AttemptReport& report) {
  const auto dispositions = ValueOf(store().CompleteAttempts("w1", {&report, 1}));
  EXPECT_EQ(dispositions.size(), 1U);
  return dispositions.empty() ? ReportDisposition::kOrphaned : dispositions.front();
}

server::LeaseReconciliation JobStoreContract::Reconcile(const WorkerIdentity& worker,
                                                        std::vector<AttemptRef> running) {
  return ValueOf(store().Reconcile({.identity = worker, .running = std::move(running)}));
}

server::SweepOutcome JobStoreContract::Expire() { return ValueOf(store().ExpireLeases()); }

void JobStoreContract::UseUpAttempts(const std::function<void(const Lease&)>& lose) {
  for (std::int32_t attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    const Lease lease = AcquireOne(MakeWorker("w1"));
    EXPECT_EQ(lease.attempt.attempt, attempt);
    lose(lease);
  }
}

}  // namespace schedlab::testing
