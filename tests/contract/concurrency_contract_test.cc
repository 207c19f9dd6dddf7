#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <variant>

#include "core/mutex.h"
#include "tests/contract/job_store_contract.h"
#include "tests/support/builders.h"

namespace schedlab::testing {
namespace {

constexpr int kThreadCount = 4;
constexpr int kStepCount = 60;

// Runs `work(thread)` in threads of its own, all at once.
void InThreads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

// Several workers, users and sweepers who do what they may at random. Every decision comes from the
// seed and the thread's number; how the threads interleave does not.
class Scramble {
 public:
  Scramble(server::JobStore& store, std::function<void()> expire_all, unsigned seed)
      : store_(store), expire_all_(std::move(expire_all)), seed_(seed) {}

  void Run() {
    InThreads(kThreadCount, [this](int thread) { Act(thread); });
  }

  // Without faults, everything that is left is done by one worker.
  void Drain() {
    const WorkerIdentity worker = MakeWorker("last");
    for (int i = 0; i < 1000; ++i) {
      expire_all_();
      Check(store_.ExpireLeases());
      const std::vector<Lease> leases = Check(store_.AcquireLeases(worker, 100)).leases;
      std::vector<AttemptReport> reports;
      for (const Lease& lease : leases) reports.push_back(Succeeded(lease));
      Accept(Check(store_.CompleteAttempts(worker.name, reports)), reports);
      if (leases.empty()) return;
    }
    ADD_FAILURE() << "the queue does not empty";
  }

  std::vector<JobId> jobs() {
    const MutexLock lock(mutex_);
    return {jobs_.begin(), jobs_.end()};
  }
  // How many results of each run were accepted.
  std::map<RunId, int> endings() {
    const MutexLock lock(mutex_);
    return endings_;
  }

 private:
  template <class T>
  T Check(Result<T> result) {
    if (result) return std::move(*result);
    ADD_FAILURE() << "seed " << seed_ << ": " << result.error().message;
    return T();
  }

  void Act(int thread) {
    std::mt19937 random(seed_ * 1000U + static_cast<unsigned>(thread));
    WorkerIdentity worker = MakeWorker("w" + std::to_string(thread));
    worker.incarnation += "-" + std::to_string(seed_);
    std::vector<Lease> held;
    for (int step = 0; step < kStepCount; ++step) {
      switch (random() % 8) {
        case 0:
          Submit(random());
          break;
        case 1:
          Cancel(random());
          break;
        case 2:
          if (random() % 4 == 0) expire_all_();
          Check(store_.ExpireLeases());
          break;
        case 3:
          Synchronize(worker, held, random() % 8 == 0);
          break;
        case 4:
        case 5:
          Take(worker, held);
          break;
        default:
          Report(worker, held, random());
          break;
      }
    }
  }

  // Few salts, so that jobs share runs.
  void Submit(std::uint_fast32_t draw) {
    const server::NewJob job = MakeJob({.request_id = "request-" + std::to_string(draw % 40),
                                        .revisions = {"aaaaaaaa", "bbbbbbbb"},
                                        .repetitions = 1 + static_cast<int>(draw % 40 % 3),
                                        .salt = std::to_string(draw % 40 % 2)});
    const server::CreatedJob created = Check(store_.CreateJob(job));
    const MutexLock lock(mutex_);
    jobs_.insert(created.job.id);
  }

  void Cancel(std::uint_fast32_t draw) {
    const std::vector<JobId> known = jobs();
    if (known.empty() || draw % 4 != 0) return;
    Check(store_.CancelJob(known[draw / 4 % known.size()]));
  }

  void Synchronize(WorkerIdentity& worker, std::vector<Lease>& held, bool restarts) {
    if (restarts) {
      worker.incarnation += "+";
      held.clear();
    }
    std::vector<AttemptRef> running;
    for (const Lease& lease : held) running.push_back(lease.attempt);
    const server::LeaseReconciliation reconciliation =
        Check(store_.Reconcile({.identity = worker, .running = running}));
    for (const Lease& lease : reconciliation.redelivered) held.push_back(lease);
  }

  void Take(const WorkerIdentity& worker, std::vector<Lease>& held) {
    for (const Lease& lease : Check(store_.AcquireLeases(worker, 3)).leases) {
      NoteAttempt(lease.attempt);
      held.push_back(lease);
    }
  }

  // Also of stopped attempts, as a worker that was cut off would.
  void Report(const WorkerIdentity& worker, std::vector<Lease>& held, std::uint_fast32_t draw) {
    std::vector<AttemptReport> reports;
    for (const Lease& lease : held) {
      reports.push_back(draw % 5 == 0 ? FailedForNow(lease, "for now") : Succeeded(lease));
    }
    const auto dispositions = Check(store_.CompleteAttempts(worker.name, reports));
    Accept(dispositions, reports);
    if (draw % 3 != 0) held.clear();  // else the answer was lost and the report is repeated
  }

  // The first accepted report of an attempt decides it; a later one repeats the answer.
  void Accept(const std::vector<ReportDisposition>& dispositions,
              const std::vector<AttemptReport>& reports) {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < dispositions.size(); ++i) {
      if (dispositions[i] != ReportDisposition::kAccepted) continue;
      if (!decided_.insert(reports[i].attempt).second) continue;
      if (std::holds_alternative<RunResult>(reports[i].outcome)) {
        ++endings_[reports[i].attempt.run];
      }
    }
  }

  void NoteAttempt(const AttemptRef& attempt) {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(attempts_.insert({attempt.run, attempt.attempt}).second)
        << "seed " << seed_ << ": run " << attempt.run.value << " was leased twice as attempt "
        << attempt.attempt;
  }

  server::JobStore& store_;
  const std::function<void()> expire_all_;
  const unsigned seed_;
  Mutex mutex_;
  std::set<JobId> jobs_ SCHEDLAB_GUARDED_BY(mutex_);
  std::map<RunId, int> endings_ SCHEDLAB_GUARDED_BY(mutex_);
  std::set<AttemptRef> decided_ SCHEDLAB_GUARDED_BY(mutex_);
  std::set<std::pair<RunId, std::int32_t>> attempts_ SCHEDLAB_GUARDED_BY(mutex_);
};

void ExpectCountsOf(const Job& job, const std::vector<::schedlab::Run>& runs) {
  RunCounts counts;
  for (const ::schedlab::Run& run : runs) {
    counts.succeeded += run.state == RunState::kSucceeded ? 1 : 0;
    counts.failed += run.state == RunState::kFailed ? 1 : 0;
    counts.cancelled += run.state == RunState::kCancelled ? 1 : 0;
    EXPECT_EQ(run.result.has_value(), run.state == RunState::kSucceeded);
  }
  EXPECT_EQ(job.run_counts, counts) << "job " << job.id.value;
  EXPECT_EQ(counts.total(), static_cast<std::int64_t>(runs.size()));
  EXPECT_TRUE(job.finished_at.has_value());
  EXPECT_NE(job.state, JobState::kRunning);
}

}  // namespace

void JobStoreContract::ExpectOrderAfterScramble(unsigned seed) {
  Scramble scramble(
      store(), [this] { ExpireAllLeases(); }, seed);
  scramble.Run();
  scramble.Drain();

  for (const JobId id : scramble.jobs()) ExpectCountsOf(Get(id), Runs(id));
  for (const auto& [run, count] : scramble.endings()) {
    EXPECT_EQ(count, 1) << "seed " << seed << ": run " << run.value;
  }
  const auto queue = store().ReadQueue();
  ASSERT_TRUE(queue.has_value()) << queue.error().message;
  EXPECT_EQ(queue->queued_count + queue->leased_count, 0);
}

namespace {

TEST_P(JobStoreContract, ThirtyTwoIdenticalRequestsAtOnceMakeOneJob) {
  std::atomic<int> new_count = 0;
  std::vector<JobId> ids(32);

  InThreads(32, [&](int thread) {
    const auto created = store().CreateJob(MakeJob({.repetitions = 3}));
    ASSERT_TRUE(created.has_value()) << created.error().message;
    ids[static_cast<std::size_t>(thread)] = created->job.id;
    new_count += created->is_new ? 1 : 0;
  });

  EXPECT_EQ(new_count, 1);
  EXPECT_EQ(ids, std::vector<JobId>(32, ids[0]));
  EXPECT_EQ(Runs(ids[0]).size(), 3U);
  EXPECT_EQ(Acquire(MakeWorker("w1"), 100).size(), 3U);
}

TEST_P(JobStoreContract, JobsThatAreCreatedAtOnceShareTheirRuns) {
  InThreads(8, [&](int thread) {
    Create(MakeJob({.request_id = "request-" + std::to_string(thread), .repetitions = 5}));
  });

  EXPECT_EQ(Acquire(MakeWorker("w1"), 100).size(), 5U);
}

TEST_P(JobStoreContract, WhateverHappensAtOnceEveryRunEndsOnce) {
  ExpectOrderAfterScramble(1);
  ExpectOrderAfterScramble(2);
  ExpectOrderAfterScramble(3);
}

}  // namespace
}  // namespace schedlab::testing
