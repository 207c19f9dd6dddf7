#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/limits.h"
#include "core/mutex.h"
#include "server/store/job_store.h"

namespace schedlab::testing {

// JobStore without a database: one lock around maps, instants from a Clock. Keeps every promise of
// the contract suite. Tokens are counted, not random.
class InMemoryJobStore final : public server::JobStore {
 public:
  // `clock` must outlive the store.
  explicit InMemoryJobStore(const Clock& clock, std::chrono::milliseconds lease_ttl = kLeaseTtl);

  Result<server::CreatedJob> CreateJob(const server::NewJob& job) override;
  Result<Job> GetJob(JobId id) override;
  Result<std::vector<Job>> GetJobs(std::span<const JobId> ids) override;
  Result<server::Page<Job>> ListJobs(const std::string& project,
                                     const server::PageRequest& page) override;
  Result<server::Page<Run>> ListRuns(JobId id, const server::PageRequest& page) override;
  Result<Job> CancelJob(JobId id) override;
  Result<server::LeaseReconciliation> Reconcile(const server::WorkerStatus& status) override;
  Result<server::AcquiredLeases> AcquireLeases(const WorkerIdentity& worker,
                                               std::int32_t count) override;
  Result<std::vector<ReportDisposition>> CompleteAttempts(
      const std::string& worker_name, std::span<const AttemptReport> reports) override;
  Result<std::int64_t> CountQueued(const WorkerIdentity& worker, std::int64_t limit) override;
  Result<server::SweepOutcome> ExpireLeases() override;
  Result<server::QueueSnapshot> ReadQueue() override;
  Result<std::vector<Worker>> ListWorkers() override;

 private:
  struct LeaseRow {
    std::string token;
    std::string worker_name;
    std::string incarnation;
    WallTime expires_at;
  };
  struct RunRow {
    Run run;
    RunSpec spec;
    std::string key;
    std::pair<JobId, std::size_t> order;  // first job and position in it
    WallTime queued_at;
    std::optional<LeaseRow> lease;
    std::set<AttemptRef> accepted;
  };
  struct JobRow {
    Job job;  // its run_counts are not kept
    std::string request_id;
    std::string content_digest;
    std::vector<RunId> runs;  // in the order of expansion
  };

  const JobRow* FindRequest(const std::string& request_id) const SCHEDLAB_REQUIRES(mutex_);
  RunId FindOrAddRun(const server::NewJob& job, std::size_t index, JobRow& row)
      SCHEDLAB_REQUIRES(mutex_);
  Job View(const JobRow& row) const SCHEDLAB_REQUIRES(mutex_);
  bool IsSharedByRunningJob(RunId run) const SCHEDLAB_REQUIRES(mutex_);
  AttemptRef AttemptOf(const RunRow& row) const SCHEDLAB_REQUIRES(mutex_);
  void EndRun(RunRow& row, RunState outcome, const std::string& failure) SCHEDLAB_REQUIRES(mutex_);
  void FinishJobsOf(RunId run, const std::string& failure) SCHEDLAB_REQUIRES(mutex_);
  void Requeue(RunRow& row) SCHEDLAB_REQUIRES(mutex_);
  void GiveUp(RunRow& row, const std::string& reason, server::SweepOutcome& outcome)
      SCHEDLAB_REQUIRES(mutex_);
  // kAborted where the caller is superseded.
  Status See(const WorkerIdentity& identity) SCHEDLAB_REQUIRES(mutex_);
  std::vector<RunRow*> QueuedFor(const WorkerIdentity& worker) SCHEDLAB_REQUIRES(mutex_);
  ReportDisposition Take(const AttemptReport& report) SCHEDLAB_REQUIRES(mutex_);
  void ForgetWorkers() SCHEDLAB_REQUIRES(mutex_);
  Worker ViewWorker(const Worker& seen) const SCHEDLAB_REQUIRES(mutex_);

  const Clock& clock_;
  const std::chrono::milliseconds lease_ttl_;
  Mutex mutex_;
  std::map<JobId, JobRow> jobs_ SCHEDLAB_GUARDED_BY(mutex_);
  std::map<RunId, RunRow> runs_ SCHEDLAB_GUARDED_BY(mutex_);
  std::map<std::string, RunId> shared_keys_ SCHEDLAB_GUARDED_BY(mutex_);  // live or succeeded
  std::set<std::string> metrics_ SCHEDLAB_GUARDED_BY(mutex_);
  std::map<std::string, Worker> workers_ SCHEDLAB_GUARDED_BY(mutex_);
  // By name, the latest first.
  std::map<std::string, std::deque<std::string>> earlier_incarnations_ SCHEDLAB_GUARDED_BY(mutex_);
  std::int64_t token_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
};

}  // namespace schedlab::testing
