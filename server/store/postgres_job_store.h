#pragma once

#include <chrono>

#include "core/limits.h"
#include "server/store/connection_pool.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// JobStore in PostgreSQL. Every transaction takes its locks in one order: worker, live runs by id,
// series and points by key, jobs by id.
//
// The role of a metric in a series is headline from the first job on that judges it, else counter.
class PostgresJobStore final : public JobStore {
 public:
  // `pool` must outlive the store.
  explicit PostgresJobStore(ConnectionPool& pool, std::chrono::milliseconds lease_ttl = kLeaseTtl);

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
  ConnectionPool& pool_;
  const std::chrono::milliseconds lease_ttl_;
};

}  // namespace schedlab::server
