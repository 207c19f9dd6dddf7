#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/store/job_store.h"

namespace schedlab::testing {

// A JobStore and what a test cannot do through it: let time pass.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual server::JobStore& store() = 0;
  // Every lease of this moment runs out. Leases acquired later live.
  virtual void ExpireAllLeases() = 0;
  // Every worker was last seen a day earlier than it was.
  virtual void PassADay() = 0;
};

using MakeStore = std::unique_ptr<StoreUnderTest> (*)();

// What every JobStore promises. A binary instantiates it with its stores.
class JobStoreContract : public ::testing::TestWithParam<MakeStore> {
 protected:
  server::JobStore& store() { return under_test_->store(); }
  void ExpireAllLeases() { under_test_->ExpireAllLeases(); }
  void PassADay() { under_test_->PassADay(); }

  // Each fails the test where the store refuses.
  Job Create(const server::NewJob& job);
  Job Get(JobId id);
  std::vector<::schedlab::Run> Runs(JobId id);  // Test::Run() hides the short name
  std::vector<Lease> Acquire(const WorkerIdentity& worker, std::int32_t count);
  Lease AcquireOne(const WorkerIdentity& worker);
  ReportDisposition Complete(const AttemptReport& report);
  server::LeaseReconciliation Reconcile(const WorkerIdentity& worker,
                                        std::vector<AttemptRef> running);
  server::SweepOutcome Expire();
  // Leases the only run kMaxAttempts times and does `lose` with each lease.
  void UseUpAttempts(const std::function<void(const Lease&)>& lose);
  // Threads do what they may at random, from `seed`; then every run has ended once, the counts of
  // every job are those of its runs, and the queue is empty.
  void ExpectOrderAfterScramble(unsigned seed);

 private:
  std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

}  // namespace schedlab::testing
