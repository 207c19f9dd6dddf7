#include "tests/contract/job_store_contract.h"
#include "tests/support/builders.h"

namespace schedlab::testing {
namespace {

std::vector<std::int64_t> IdsOf(const server::Page<Job>& page) {
  std::vector<std::int64_t> ids;
  for (const Job& job : page.items) ids.push_back(job.id.value);
  return ids;
}

TEST_P(JobStoreContract, ANewJobQueuesEveryRun) {
  const Job job = Create(MakeJob({.revisions = {"aaaaaaaa", "bbbbbbbb"}, .repetitions = 3}));

  EXPECT_EQ(job.state, JobState::kRunning);
  EXPECT_EQ(job.run_counts, (RunCounts{.queued = 6}));
  EXPECT_EQ(job.cached_run_count, 0);
  EXPECT_FALSE(job.finished_at.has_value());
  EXPECT_EQ(Get(job.id), job);
}

TEST_P(JobStoreContract, AJobKeepsItsSpec) {
  const server::NewJob submitted = MakeJob({.salt = "quote \" backslash \\ {brace}, comma"});

  const Job job = Create(submitted);

  EXPECT_EQ(Get(job.id).spec, submitted.spec);
}

TEST_P(JobStoreContract, ARepeatedRequestReturnsTheFirstJob) {
  const Job first = Create(MakeJob({}));

  const auto second = store().CreateJob(MakeJob({}));

  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_EQ(second->job.id, first.id);
  EXPECT_FALSE(second->is_new);
}

TEST_P(JobStoreContract, ARequestIdWithOtherContentIsRefused) {
  Create(MakeJob({}));

  const auto second = store().CreateJob(MakeJob({.repetitions = 2}));

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
}

TEST_P(JobStoreContract, AKnownResultIsNotRunAgain) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({}));
  Complete(Succeeded(AcquireOne(worker), 77));

  const Job second = Create(MakeJob({.request_id = "request-2"}));

  EXPECT_EQ(second.state, JobState::kSucceeded);
  EXPECT_EQ(second.cached_run_count, 1);
  EXPECT_TRUE(second.finished_at.has_value());
  EXPECT_EQ(Runs(second.id).at(0).result, MakeResult(77));
  EXPECT_TRUE(Acquire(worker, 10).empty());
}

TEST_P(JobStoreContract, ALiveRunIsSharedByTwoJobs) {
  const WorkerIdentity worker = MakeWorker("w1");
  const Job first = Create(MakeJob({}));
  const Job second = Create(MakeJob({.request_id = "request-2"}));

  const std::vector<Lease> leases = Acquire(worker, 10);
  ASSERT_EQ(leases.size(), 1U);
  Complete(Succeeded(leases[0]));

  EXPECT_EQ(second.cached_run_count, 0);
  EXPECT_EQ(Get(first.id).state, JobState::kSucceeded);
  EXPECT_EQ(Get(second.id).state, JobState::kSucceeded);
  EXPECT_EQ(Get(second.id).run_counts, (RunCounts{.succeeded = 1}));
}

TEST_P(JobStoreContract, AFailedRunIsRunAgainForTheNextJob) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({}));
  Complete(Failed(AcquireOne(worker), "no such workload"));

  const Job second = Create(MakeJob({.request_id = "request-2"}));

  EXPECT_EQ(second.run_counts, (RunCounts{.queued = 1}));
  EXPECT_EQ(Acquire(worker, 10).size(), 1U);
}

TEST_P(JobStoreContract, AJobMayShareSomeRunsAndAddOthers) {
  const WorkerIdentity worker = MakeWorker("w1");
  Create(MakeJob({.repetitions = 2}));
  Complete(Succeeded(AcquireOne(worker)));

  const Job second = Create(MakeJob({.request_id = "request-2", .repetitions = 4}));

  EXPECT_EQ(second.cached_run_count, 1);
  EXPECT_EQ(second.run_counts, (RunCounts{.queued = 3, .succeeded = 1}));
  EXPECT_EQ(Acquire(worker, 10).size(), 3U);
}

TEST_P(JobStoreContract, AnUnknownJobIsNotFound) {
  const auto job = store().GetJob({4711});
  const auto runs = store().ListRuns({4711}, {});
  const auto cancelled = store().CancelJob({4711});

  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().code, ErrorCode::kNotFound);
  ASSERT_FALSE(runs.has_value());
  EXPECT_EQ(runs.error().code, ErrorCode::kNotFound);
  ASSERT_FALSE(cancelled.has_value());
  EXPECT_EQ(cancelled.error().code, ErrorCode::kNotFound);
}

TEST_P(JobStoreContract, UnknownIdsAreLeftOutOfABatch) {
  const Job job = Create(MakeJob({}));
  const std::vector<JobId> ids = {{4711}, job.id};

  const auto jobs = store().GetJobs(ids);

  ASSERT_TRUE(jobs.has_value()) << jobs.error().message;
  EXPECT_EQ(*jobs, std::vector<Job>{job});
}

TEST_P(JobStoreContract, JobsAreListedNewestFirstInPages) {
  const Job a = Create(MakeJob({.request_id = "a"}));
  const Job b = Create(MakeJob({.request_id = "b"}));
  const Job c = Create(MakeJob({.request_id = "c"}));

  const auto first = store().ListJobs("", {.size = 2, .token = ""});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const auto second = store().ListJobs("", {.size = 2, .token = first->next_token});
  ASSERT_TRUE(second.has_value()) << second.error().message;

  EXPECT_EQ(IdsOf(*first), (std::vector<std::int64_t>{c.id.value, b.id.value}));
  EXPECT_EQ(IdsOf(*second), std::vector<std::int64_t>{a.id.value});
  EXPECT_EQ(second->next_token, "");
}

TEST_P(JobStoreContract, JobsAreListedByProject) {
  Create(MakeJob({.request_id = "a"}));
  const Job other = Create(MakeJob({.request_id = "b", .project = "xen"}));

  const auto page = store().ListJobs("xen", {});

  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_EQ(IdsOf(*page), std::vector<std::int64_t>{other.id.value});
}

TEST_P(JobStoreContract, ATokenOfAnotherListingIsRefused) {
  Create(MakeJob({.request_id = "a"}));
  Create(MakeJob({.request_id = "b"}));
  const auto all = store().ListJobs("", {.size = 1, .token = ""});
  ASSERT_TRUE(all.has_value()) << all.error().message;

  const auto foreign = store().ListJobs("linux", {.size = 1, .token = all->next_token});
  const auto malformed = store().ListJobs("", {.size = 1, .token = "next"});

  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().code, ErrorCode::kInvalidArgument);
  ASSERT_FALSE(malformed.has_value());
  EXPECT_EQ(malformed.error().code, ErrorCode::kInvalidArgument);
}

TEST_P(JobStoreContract, RunsAreListedInTheOrderOfExpansion) {
  const server::NewJob submitted = MakeJob({.revisions = {"bbbbbbbb", "aaaaaaaa"},
                                            .topologies = {"kvm-16x1", "kvm-1x16"},
                                            .repetitions = 2});
  const Job job = Create(submitted);

  const auto runs = Runs(job.id);

  ASSERT_EQ(runs.size(), 8U);
  EXPECT_EQ(runs[0].revision, "bbbbbbbb");
  EXPECT_EQ(runs[0].topology, "kvm-16x1");
  EXPECT_EQ(runs[1].repetition, 1);
  EXPECT_EQ(runs[2].topology, "kvm-1x16");
  EXPECT_EQ(runs[4].revision, "aaaaaaaa");
  EXPECT_EQ(runs[7].seed, submitted.expanded.runs[7].seed);
  EXPECT_EQ(runs[7].state, RunState::kQueued);
  EXPECT_EQ(runs[7].workload, "fs_mark");
}

TEST_P(JobStoreContract, RunsAreListedInPages) {
  const Job job = Create(MakeJob({.repetitions = 3}));

  const auto first = store().ListRuns(job.id, {.size = 2, .token = ""});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const auto second = store().ListRuns(job.id, {.size = 2, .token = first->next_token});
  ASSERT_TRUE(second.has_value()) << second.error().message;

  EXPECT_EQ(first->items.size(), 2U);
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].repetition, 2);
  EXPECT_EQ(second->next_token, "");
}

TEST_P(JobStoreContract, ARunShowsItsLeaseAndThenItsResult) {
  const Job job = Create(MakeJob({}));
  const Lease lease = AcquireOne(MakeWorker("w1"));
  const auto leased = Runs(job.id).at(0);
  Complete(Succeeded(lease, 0.1 + 0.2));

  const auto succeeded = Runs(job.id).at(0);

  EXPECT_EQ(leased.state, RunState::kLeased);
  EXPECT_EQ(leased.attempt, 1);
  EXPECT_FALSE(leased.result.has_value());
  EXPECT_EQ(succeeded.state, RunState::kSucceeded);
  EXPECT_EQ(succeeded.attempt, 1);
  EXPECT_EQ(succeeded.result, MakeResult(0.1 + 0.2));
}

TEST_P(JobStoreContract, CancellingEndsQueuedAndLeasedRuns) {
  const WorkerIdentity worker = MakeWorker("w1");
  const Job job = Create(MakeJob({.repetitions = 3}));
  const std::vector<Lease> leases = Acquire(worker, 2);
  ASSERT_EQ(leases.size(), 2U);
  Complete(Succeeded(leases[0]));

  const auto cancelled = store().CancelJob(job.id);

  ASSERT_TRUE(cancelled.has_value()) << cancelled.error().message;
  EXPECT_EQ(cancelled->state, JobState::kCancelled);
  EXPECT_EQ(cancelled->run_counts, (RunCounts{.succeeded = 1, .cancelled = 2}));
  EXPECT_TRUE(cancelled->finished_at.has_value());
  EXPECT_EQ(Reconcile(worker, {leases[1].attempt}).stop,
            std::vector<AttemptRef>{leases[1].attempt});
  EXPECT_TRUE(Acquire(worker, 10).empty());
}

TEST_P(JobStoreContract, CancellingTwiceChangesNothing) {
  const Job job = Create(MakeJob({}));
  const auto first = store().CancelJob(job.id);

  const auto second = store().CancelJob(job.id);

  ASSERT_TRUE(first.has_value()) << first.error().message;
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_EQ(*first, *second);
}

TEST_P(JobStoreContract, AFinishedJobIsNotCancelled) {
  const Job job = Create(MakeJob({}));
  Complete(Succeeded(AcquireOne(MakeWorker("w1"))));

  const auto cancelled = store().CancelJob(job.id);

  ASSERT_TRUE(cancelled.has_value()) << cancelled.error().message;
  EXPECT_EQ(cancelled->state, JobState::kSucceeded);
}

TEST_P(JobStoreContract, CancellingSparesARunThatAnotherJobShares) {
  const WorkerIdentity worker = MakeWorker("w1");
  const Job first = Create(MakeJob({}));
  const Job second = Create(MakeJob({.request_id = "request-2"}));
  const Lease lease = AcquireOne(worker);

  const auto cancelled = store().CancelJob(first.id);
  const ReportDisposition disposition = Complete(Succeeded(lease));

  ASSERT_TRUE(cancelled.has_value()) << cancelled.error().message;
  EXPECT_EQ(cancelled->run_counts, (RunCounts{.leased = 1}));
  EXPECT_EQ(disposition, ReportDisposition::kAccepted);
  EXPECT_EQ(Get(first.id).state, JobState::kCancelled);
  EXPECT_EQ(Get(first.id).run_counts, (RunCounts{.succeeded = 1}));
  EXPECT_EQ(Get(second.id).state, JobState::kSucceeded);
}

TEST_P(JobStoreContract, TheLastJobToBeCancelledEndsTheSharedRun) {
  const Job first = Create(MakeJob({}));
  const Job second = Create(MakeJob({.request_id = "request-2"}));

  ASSERT_TRUE(store().CancelJob(first.id).has_value());
  ASSERT_TRUE(store().CancelJob(second.id).has_value());

  EXPECT_EQ(Get(first.id).run_counts, (RunCounts{.cancelled = 1}));
  EXPECT_EQ(Get(second.id).run_counts, (RunCounts{.cancelled = 1}));
  EXPECT_TRUE(Acquire(MakeWorker("w1"), 10).empty());
}

TEST_P(JobStoreContract, ACancelledRunIsRunAgainForTheNextJob) {
  const Job first = Create(MakeJob({}));
  ASSERT_TRUE(store().CancelJob(first.id).has_value());

  const Job second = Create(MakeJob({.request_id = "request-2"}));

  EXPECT_EQ(second.run_counts, (RunCounts{.queued = 1}));
  EXPECT_EQ(Acquire(MakeWorker("w1"), 10).size(), 1U);
}

}  // namespace
}  // namespace schedlab::testing
