#include <chrono>
#include <limits>
#include <string>

#include "core/expansion.h"
#include "core/limits.h"
#include "tests/contract/job_store_contract.h"
#include "tests/support/builders.h"

namespace schedlab::testing {
namespace {

TEST_P(JobStoreContract, ALeaseCarriesTheWholeSpecOfItsRun) {
  const server::NewJob submitted = MakeJob({});
  Create(submitted);

  const Lease lease = AcquireOne(MakeWorker("w1"));

  EXPECT_EQ(lease.spec, SpecOf(submitted.expanded, submitted.expanded.runs[0]));
  EXPECT_EQ(lease.attempt.attempt, 1);
  EXPECT_FALSE(lease.attempt.token.empty());
}

TEST_P(JobStoreContract, EveryLeaseSaysHowLongItsRunWasQueued) {
  Create(MakeJob({.repetitions = 2}));

  const Result<server::AcquiredLeases> acquired = store().AcquireLeases(MakeWorker("w1"), 2);

  ASSERT_TRUE(acquired.has_value());
  ASSERT_EQ(acquired->queue_waits.size(), 2U);
  EXPECT_GE(acquired->queue_waits[0].count(), 0);
  EXPECT_LT(acquired->queue_waits[0], std::chrono::minutes(5));
}

TEST_P(JobStoreContract, TheOldestJobIsServedFirst) {
  Create(MakeJob({.request_id = "a", .repetitions = 2, .salt = "old"}));
  Create(MakeJob({.request_id = "b", .repetitions = 2, .salt = "new"}));

  const std::vector<Lease> leases = Acquire(MakeWorker("w1"), 3);

  const server::NewJob old = MakeJob({.repetitions = 2, .salt = "old"});
  ASSERT_EQ(leases.size(), 3U);
  EXPECT_EQ(leases[0].spec.seed, old.expanded.runs[0].seed);
  EXPECT_EQ(leases[1].spec.seed, old.expanded.runs[1].seed);
}

TEST_P(JobStoreContract, ARunIsLeasedOnce) {
  Create(MakeJob({.repetitions = 3}));

  EXPECT_EQ(Acquire(MakeWorker("w1"), 2).size(), 2U);
  EXPECT_EQ(Acquire(MakeWorker("w2"), 2).size(), 1U);
  EXPECT_TRUE(Acquire(MakeWorker("w3"), 2).empty());
}

TEST_P(JobStoreContract, AWorkerOfAnotherEngineVersionGetsNothing) {
  Create(MakeJob({}));
  WorkerIdentity worker = MakeWorker("w1");
  worker.engine_version = "0";

  EXPECT_TRUE(Acquire(worker, 1).empty());
}

TEST_P(JobStoreContract, AWorkerWithoutTheExecutorGetsNothing) {
  Create(MakeJob({}));
  WorkerIdentity worker = MakeWorker("w1");
  worker.executors.clear();

  EXPECT_TRUE(Acquire(worker, 1).empty());
}

TEST_P(JobStoreContract, ADrainingWorkerGetsNothing) {
  Create(MakeJob({}));
  WorkerIdentity worker = MakeWorker("w1");
  worker.is_draining = true;

  EXPECT_TRUE(Acquire(worker, 1).empty());
}

TEST_P(JobStoreContract, QueuedRunsWaitHoweverLongThereIsNoWorker) {
  const Job job = Create(MakeJob({}));
  ExpireAllLeases();

  const server::SweepOutcome outcome = Expire();

  EXPECT_EQ(outcome.requeued_count + outcome.failed_count, 0);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.queued = 1}));
}

TEST_P(JobStoreContract, AWorkerThatReconnectsKeepsWhatItRuns) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({}));
  const Lease lease = AcquireOne(worker);
  ExpireAllLeases();

  const server::LeaseReconciliation reconciliation = Reconcile(worker, {lease.attempt});

  EXPECT_TRUE(reconciliation.stop.empty());
  EXPECT_TRUE(reconciliation.redelivered.empty());
  EXPECT_EQ(Expire().requeued_count, 0);
  EXPECT_EQ(Complete(Succeeded(lease)), ReportDisposition::kAccepted);
}

TEST_P(JobStoreContract, ALeaseWhoseDeliveryWasLostIsDeliveredAgain) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({}));
  const Lease lost = AcquireOne(worker);

  const server::LeaseReconciliation reconciliation = Reconcile(worker, {});

  ASSERT_EQ(reconciliation.redelivered.size(), 1U);
  EXPECT_EQ(reconciliation.redelivered[0].attempt, lost.attempt);
  EXPECT_EQ(reconciliation.redelivered[0].spec, lost.spec);
}

TEST_P(JobStoreContract, ALeaseThatIsNeverTakenUpReturnsToTheQueue) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({}));
  AcquireOne(worker);
  ExpireAllLeases();
  Reconcile(worker, {});

  EXPECT_EQ(Expire().requeued_count, 1);
  EXPECT_EQ(AcquireOne(MakeWorker("w2")).attempt.attempt, 2);
}

TEST_P(JobStoreContract, AnUnknownAttemptIsStopped) {
  const AttemptRef unknown = {.run = {4711}, .attempt = 1, .token = "no token at all"};

  const server::LeaseReconciliation reconciliation = Reconcile(MakeWorker("w1"), {unknown});

  EXPECT_EQ(reconciliation.stop, std::vector<AttemptRef>{unknown});
}

TEST_P(JobStoreContract, AnAttemptThatWasTakenOverIsStopped) {
  Create(MakeJob({}));
  const Lease lost = AcquireOne(MakeWorker("w1"));
  ExpireAllLeases();
  Expire();
  AcquireOne(MakeWorker("w2"));

  const server::LeaseReconciliation reconciliation = Reconcile(MakeWorker("w1"), {lost.attempt});

  EXPECT_EQ(reconciliation.stop, std::vector<AttemptRef>{lost.attempt});
}

TEST_P(JobStoreContract, ARestartedWorkerReturnsItsLeasesToTheQueue) {
  WorkerIdentity worker = MakeWorker("w1");
  const Job job = Create(MakeJob({}));
  const Lease lost = AcquireOne(worker);
  worker.incarnation = "w1-2";

  const server::LeaseReconciliation reconciliation = Reconcile(worker, {});

  EXPECT_TRUE(reconciliation.redelivered.empty());
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.queued = 1}));
  EXPECT_EQ(Complete(Succeeded(lost)), ReportDisposition::kOrphaned);
}

TEST_P(JobStoreContract, ASupersededProcessIsRefusedForGoodAndTakesNothingBack) {
  const WorkerIdentity first = MakeWorker("w1");
  WorkerIdentity second = MakeWorker("w1");
  second.incarnation = "w1-2";
  Create(MakeJob({}));
  Reconcile(first, {});
  Reconcile(second, {});
  const Lease lease = AcquireOne(second);

  const auto refused = store().Reconcile({.identity = first, .running = {}});
  const auto refused_again = store().Reconcile({.identity = first, .running = {}});

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kAborted);
  EXPECT_EQ(refused.error().message,
            "a newer process took over the worker name 'w1': choose another --name");
  ASSERT_FALSE(refused_again.has_value());
  EXPECT_TRUE(Reconcile(second, {lease.attempt}).stop.empty());
  EXPECT_EQ(Complete(Succeeded(lease)), ReportDisposition::kAccepted);
}

TEST_P(JobStoreContract, AProcessStaysSupersededOverLaterRestarts) {
  WorkerIdentity worker = MakeWorker("w1");
  const WorkerIdentity first = worker;
  Reconcile(first, {});
  for (std::int32_t i = 0; i < kMaxEarlierIncarnations; ++i) {
    worker.incarnation += "+";
    Reconcile(worker, {});
    Reconcile(worker, {});
  }

  const auto refused = store().Reconcile({.identity = first, .running = {}});

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kAborted);
}

TEST_P(JobStoreContract, ARunThatKillsItsWorkerFailsInTheEnd) {
  WorkerIdentity restarted = MakeWorker("w1");
  restarted.incarnation = "w1-2";
  const Job job = Create(MakeJob({}));

  UseUpAttempts([&](const Lease&) { Reconcile(restarted, {}); });

  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
  EXPECT_EQ(Get(job.id).first_failure, "attempt 5 of 5 brought no result: worker w1 restarted");
}

TEST_P(JobStoreContract, AnExpiredLeaseGoesToAnotherWorkerAndTheLateReportIsAnOrphan) {
  const Job job = Create(MakeJob({}));
  const Lease first = AcquireOne(MakeWorker("w1"));
  ExpireAllLeases();
  EXPECT_EQ(Expire().requeued_count, 1);
  const Lease second = AcquireOne(MakeWorker("w2"));

  const ReportDisposition late = Complete(Succeeded(first, 1));
  const ReportDisposition current = Complete(Succeeded(second, 2));
  const ReportDisposition later = Complete(Succeeded(first, 1));

  EXPECT_EQ(second.attempt.run, first.attempt.run);
  EXPECT_EQ(second.attempt.attempt, 2);
  EXPECT_EQ(late, ReportDisposition::kOrphaned);
  EXPECT_EQ(current, ReportDisposition::kAccepted);
  EXPECT_EQ(later, ReportDisposition::kOrphaned);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.succeeded = 1}));
  EXPECT_EQ(Runs(job.id).at(0).result, MakeResult(2));
}

TEST_P(JobStoreContract, ASweepLeavesLiveLeasesAlone) {
  const Job job = Create(MakeJob({}));
  AcquireOne(MakeWorker("w1"));

  EXPECT_EQ(Expire().requeued_count, 0);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.leased = 1}));
}

TEST_P(JobStoreContract, ALeaseThatExpiresTooOftenFailsItsRun) {
  const Job job = Create(MakeJob({}));
  server::SweepOutcome last;

  UseUpAttempts([&](const Lease&) {
    ExpireAllLeases();
    last = Expire();
  });

  EXPECT_EQ(last.failed_count, 1);
  EXPECT_EQ(last.requeued_count, 0);
  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
  EXPECT_EQ(Get(job.id).first_failure,
            "attempt 5 of 5 brought no result: the lease of worker w1 expired");
  EXPECT_EQ(Runs(job.id).at(0).attempt, kMaxAttempts);
}

TEST_P(JobStoreContract, AJobThatSharesAnExpiredRunGetsItsNextAttempt) {
  Create(MakeJob({}));
  AcquireOne(MakeWorker("w1"));
  const Job waiting = Create(MakeJob({.request_id = "request-2"}));
  ExpireAllLeases();
  Expire();

  Complete(Succeeded(AcquireOne(MakeWorker("w2"))));

  EXPECT_EQ(Get(waiting.id).state, JobState::kSucceeded);
}

TEST_P(JobStoreContract, ARepeatedReportGetsTheSameAnswer) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  Complete(Succeeded(lease, 5));

  const ReportDisposition repeated = Complete(Succeeded(lease, 5));

  EXPECT_EQ(repeated, ReportDisposition::kAccepted);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.succeeded = 1}));
}

TEST_P(JobStoreContract, AReportThatStandsTwiceInACallIsCountedOnce) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  const std::vector<AttemptReport> reports = {Succeeded(lease, 5), Succeeded(lease, 5)};

  const auto dispositions = store().CompleteAttempts("w1", reports);

  ASSERT_TRUE(dispositions.has_value()) << dispositions.error().message;
  EXPECT_EQ(*dispositions, (std::vector<ReportDisposition>{ReportDisposition::kAccepted,
                                                           ReportDisposition::kAccepted}));
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.succeeded = 1}));
}

TEST_P(JobStoreContract, ALaterReportDoesNotOverwriteAnOutcome) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  Complete(Failed(lease, "bad input"));

  Complete(Succeeded(lease));

  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
  EXPECT_FALSE(Runs(job.id).at(0).result.has_value());
}

TEST_P(JobStoreContract, AForgedTokenCompletesNothing) {
  const Job job = Create(MakeJob({}));
  Lease forged = AcquireOne(MakeWorker("w1"));
  forged.attempt.token = "00000000-0000-0000-0000-000000000000";

  EXPECT_EQ(Complete(Succeeded(forged)), ReportDisposition::kOrphaned);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.leased = 1}));
}

TEST_P(JobStoreContract, AReportOfACancelledRunIsAnOrphan) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  ASSERT_TRUE(store().CancelJob(job.id).has_value());

  EXPECT_EQ(Complete(Succeeded(lease)), ReportDisposition::kOrphaned);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.cancelled = 1}));
}

TEST_P(JobStoreContract, ARetryableFailureReturnsTheRunToTheQueue) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));

  const ReportDisposition first = Complete(FailedForNow(lease, "out of memory"));
  const ReportDisposition repeated = Complete(FailedForNow(lease, "out of memory"));

  EXPECT_EQ(first, ReportDisposition::kAccepted);
  EXPECT_EQ(repeated, ReportDisposition::kAccepted);
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.queued = 1}));
  EXPECT_EQ(AcquireOne(MakeWorker("w2")).attempt.attempt, 2);
}

TEST_P(JobStoreContract, RetryableFailuresEndWithTheLastAttempt) {
  const Job job = Create(MakeJob({}));

  UseUpAttempts([&](const Lease& lease) { Complete(FailedForNow(lease, "out of memory")); });

  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
  EXPECT_EQ(Runs(job.id).at(0).failure, "attempt 5 of 5 failed: out of memory");
}

TEST_P(JobStoreContract, AJobThatFailsSaysWhyTheFirstRunDid) {
  const Job job = Create(MakeJob({.repetitions = 2}));
  Complete(Failed(AcquireOne(MakeWorker("w1")), "bad input"));
  Complete(Failed(AcquireOne(MakeWorker("w1")), "worse input"));

  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
  EXPECT_EQ(Get(job.id).first_failure, "bad input");
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.failed = 2}));
}

TEST_P(JobStoreContract, AResultWithAnUnknownMetricFailsItsRun) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  RunResult result = MakeResult(1);
  result.metrics["speed"] = 1;

  const ReportDisposition disposition = Complete({.attempt = lease.attempt, .outcome = result});

  EXPECT_EQ(disposition, ReportDisposition::kAccepted);
  EXPECT_EQ(Get(job.id).first_failure, "the result has metric 'speed', which the catalog lacks");
}

TEST_P(JobStoreContract, AResultThatIsNoNumberFailsItsRun) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));

  Complete(Succeeded(lease, std::numeric_limits<double>::quiet_NaN()));

  EXPECT_EQ(Get(job.id).state, JobState::kFailed);
}

TEST_P(JobStoreContract, AResultMayLackMetrics) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  RunResult result = MakeResult(1);
  result.metrics.clear();

  Complete({.attempt = lease.attempt, .outcome = result});

  EXPECT_EQ(Runs(job.id).at(0).result, result);
}

TEST_P(JobStoreContract, ABatchIsAnsweredReportByReport) {
  const Job job = Create(MakeJob({.repetitions = 3}));
  const std::vector<Lease> leases = Acquire(MakeWorker("w1"), 3);
  ASSERT_EQ(leases.size(), 3U);
  Lease forged = leases[1];
  forged.attempt.attempt = 7;
  const std::vector<AttemptReport> reports = {Failed(leases[2], "bad input"), Succeeded(forged),
                                              Succeeded(leases[0])};

  const auto dispositions = store().CompleteAttempts("w1", reports);

  ASSERT_TRUE(dispositions.has_value()) << dispositions.error().message;
  EXPECT_EQ(*dispositions, (std::vector<ReportDisposition>{ReportDisposition::kAccepted,
                                                           ReportDisposition::kOrphaned,
                                                           ReportDisposition::kAccepted}));
  EXPECT_EQ(Get(job.id).run_counts, (RunCounts{.leased = 1, .succeeded = 1, .failed = 1}));
}

TEST_P(JobStoreContract, TheQueueIsCounted) {
  Create(MakeJob({.repetitions = 3}));
  AcquireOne(MakeWorker("w1"));

  const auto queue = store().ReadQueue();

  ASSERT_TRUE(queue.has_value()) << queue.error().message;
  EXPECT_EQ(queue->queued_count, 2);
  EXPECT_EQ(queue->leased_count, 1);
  EXPECT_GE(queue->oldest_queued_age_seconds, 0);
}

TEST_P(JobStoreContract, WhatAWorkerCanExecuteIsCountedUpToALimit) {
  Create(MakeJob({.repetitions = 4}));
  AcquireOne(MakeWorker("w1"));
  WorkerIdentity other_engine = MakeWorker("w2");
  other_engine.engine_version = "0";
  WorkerIdentity without_executor = MakeWorker("w3");
  without_executor.executors.clear();

  EXPECT_EQ(*store().CountQueued(MakeWorker("w1"), 32), 3);
  EXPECT_EQ(*store().CountQueued(MakeWorker("w1"), 2), 2);
  EXPECT_EQ(*store().CountQueued(other_engine, 32), 0);
  EXPECT_EQ(*store().CountQueued(without_executor, 32), 0);
}

TEST_P(JobStoreContract, AWorkerThatWasNotSeenForADayIsForgotten) {
  const WorkerIdentity first = MakeWorker("w1");
  WorkerIdentity second = MakeWorker("w1");
  second.incarnation = "w1-2";
  Reconcile(first, {});
  Reconcile(second, {});
  Expire();
  ASSERT_FALSE(store().Reconcile({.identity = first, .running = {}}).has_value());

  PassADay();
  Expire();

  EXPECT_TRUE(store().ListWorkers()->empty());
  EXPECT_TRUE(store().Reconcile({.identity = first, .running = {}}).has_value());
}

TEST_P(JobStoreContract, TheListOfWorkersIsBounded) {
  for (std::int32_t i = 0; i <= kMaxPageSize; ++i) {
    Reconcile(MakeWorker("w" + std::to_string(i)), {});
  }

  EXPECT_EQ(store().ListWorkers()->size(), std::size_t{kMaxPageSize});
}

TEST_P(JobStoreContract, AnEmptyQueueHasNoAge) {
  const auto queue = store().ReadQueue();

  ASSERT_TRUE(queue.has_value()) << queue.error().message;
  EXPECT_EQ(queue->queued_count, 0);
  EXPECT_EQ(queue->oldest_queued_age_seconds, 0);
}

TEST_P(JobStoreContract, WorkersAreListedByNameWithTheirLeases) {
  Create(MakeJob({.repetitions = 2}));
  WorkerIdentity draining = MakeWorker("w2");
  draining.is_draining = true;
  Reconcile(draining, {});
  Reconcile(MakeWorker("w1"), {});
  Acquire(MakeWorker("w1"), 2);

  const auto workers = store().ListWorkers();

  ASSERT_TRUE(workers.has_value()) << workers.error().message;
  ASSERT_EQ(workers->size(), 2U);
  EXPECT_EQ(workers->at(0).identity.name, "w1");
  EXPECT_EQ(workers->at(0).identity.executors, std::vector<Executor>{Executor::kSim});
  EXPECT_EQ(workers->at(0).leased_count, 2);
  EXPECT_EQ(workers->at(0).state, WorkerState::kActive);
  EXPECT_EQ(workers->at(1).state, WorkerState::kDraining);
}

}  // namespace
}  // namespace schedlab::testing
