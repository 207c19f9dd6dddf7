#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// Of every run in the queue of a FakeJobStore.
inline constexpr std::chrono::milliseconds kQueueWait{1500};

// Enough of a store to follow what a hub asks of it: a queue of equal runs, which attempts are to
// be stopped, and jobs that a test moves. Thread-safe.
class FakeJobStore final : public JobStore {
 public:
  void Queue(std::int64_t run_count);
  void StopEverything();
  void SetJob(const Job& job);
  void SetAway(bool is_away);
  void ExpirePerSweep(std::int64_t lease_count);
  std::int64_t reconcile_count() const;
  std::int64_t count_queued_count() const;  // calls of CountQueued()
  std::int64_t expiry_count() const;

  Result<CreatedJob> CreateJob(const NewJob& job) override;
  Result<Job> GetJob(JobId id) override;
  Result<std::vector<Job>> GetJobs(std::span<const JobId> ids) override;
  Result<Page<Job>> ListJobs(const std::string& project, const PageRequest& page) override;
  Result<Page<Run>> ListRuns(JobId id, const PageRequest& page) override;
  Result<Job> CancelJob(JobId id) override;
  Result<LeaseReconciliation> Reconcile(const WorkerStatus& status) override;
  Result<AcquiredLeases> AcquireLeases(const WorkerIdentity& worker, std::int32_t count) override;
  Result<std::vector<ReportDisposition>> CompleteAttempts(
      const std::string& worker_name, std::span<const AttemptReport> reports) override;
  Result<std::int64_t> CountQueued(const WorkerIdentity& worker, std::int64_t limit) override;
  Result<SweepOutcome> ExpireLeases() override;
  Result<QueueSnapshot> ReadQueue() override;
  Result<std::vector<Worker>> ListWorkers() override;

 private:
  Status CheckReachable() const SCHEDLAB_REQUIRES(mutex_);

  mutable Mutex mutex_;
  bool is_away_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  bool stops_everything_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::int64_t queued_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::int64_t next_run_ SCHEDLAB_GUARDED_BY(mutex_) = 1;
  std::int64_t count_queued_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::int64_t reconcile_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::int64_t expired_per_sweep_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::int64_t expiry_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::map<JobId, Job> jobs_ SCHEDLAB_GUARDED_BY(mutex_);
};

}  // namespace schedlab::server
