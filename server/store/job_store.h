#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/expansion.h"
#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/result.h"
#include "core/run.h"
#include "core/worker.h"

namespace schedlab::server {

struct NewJob {
  std::string request_id;
  std::string content_digest;  // what a repeated request_id must repeat
  JobSpec spec;
  ExpandedJob expanded;
};

struct CreatedJob {
  Job job;
  bool is_new = false;
};

// One page of a keyset listing. The token is empty on the last page and opaque to callers.
struct PageRequest {
  std::int32_t size = 0;
  std::string token;
};

template <class T>
struct Page {
  std::vector<T> items;
  std::string next_token;
};

// What a worker does at the moment of a call.
struct WorkerStatus {
  WorkerIdentity identity;
  std::vector<AttemptRef> running;
};

// How a worker's leases stand against what it says it runs.
struct LeaseReconciliation {
  std::vector<Lease> redelivered;  // leased to this incarnation, but it does not run them
  std::vector<AttemptRef> stop;    // it runs them without a lease: cancelled, expired or taken over
};

struct AcquiredLeases {
  std::vector<Lease> leases;
  // How long each of the runs was queued, parallel to `leases`.
  std::vector<std::chrono::microseconds> queue_waits;
};

struct SweepOutcome {
  std::int64_t requeued_count = 0;
  std::int64_t failed_count = 0;  // out of attempts
};

struct QueueSnapshot {
  std::int64_t queued_count = 0;
  std::int64_t leased_count = 0;
  double oldest_queued_age_seconds = 0;  // 0 where nothing is queued
};

// Jobs, runs, leases and workers. Every call is one domain operation in one transaction; every
// instant is the store's own clock (in PostgreSQL, the database's now()). Any call may be repeated.
// Thread-safe; a call may block on the database. kUnavailable: the database is away, or whether the
// commit took place is not known: repeat the call.
class JobStore {
 public:
  virtual ~JobStore() = default;

  // Stores the job and queues those of its runs whose key is not known yet; a run with a known key
  // that is queued, leased or succeeded is shared. The same request_id and content returns the
  // first job; other content is kAlreadyExists.
  virtual Result<CreatedJob> CreateJob(const NewJob& job) = 0;

  virtual Result<Job> GetJob(JobId id) = 0;
  // Those of `ids` that exist, in no particular order.
  virtual Result<std::vector<Job>> GetJobs(std::span<const JobId> ids) = 0;
  // Newest first; every project where `project` is empty. kInvalidArgument: a malformed token.
  virtual Result<Page<Job>> ListJobs(const std::string& project, const PageRequest& page) = 0;
  // In the order of expansion.
  virtual Result<Page<Run>> ListRuns(JobId id, const PageRequest& page) = 0;

  // Cancels the job, and those of its runs that no other running job shares. A finished job stays.
  virtual Result<Job> CancelJob(JobId id) = 0;

  // Records the worker and renews the leases that it runs. A new incarnation supersedes the one
  // that had its name, whose leases are returned to the queue. kAborted: the caller is superseded,
  // and will be for good; nothing has changed.
  virtual Result<LeaseReconciliation> Reconcile(const WorkerStatus& status) = 0;

  // Leases up to `count` queued runs that the worker can execute (executor and engine version),
  // oldest job first.
  virtual Result<AcquiredLeases> AcquireLeases(const WorkerIdentity& worker,
                                               std::int32_t count) = 0;

  // Commits the reports: result rows, the run's state and the job's next state in one transaction.
  // A report whose attempt or token is not the run's current lease is kept as an orphan and changes
  // nothing else; repeating an accepted report is kAccepted again. A retryable failure returns the
  // run to the queue until its attempts are used up. Parallel to `reports`.
  virtual Result<std::vector<ReportDisposition>> CompleteAttempts(
      const std::string& worker_name, std::span<const AttemptReport> reports) = 0;

  // How many queued runs the worker can execute, counted up to `limit`: cheap however long the
  // queue.
  virtual Result<std::int64_t> CountQueued(const WorkerIdentity& worker, std::int64_t limit) = 0;

  // Returns expired leases to the queue, or fails runs that have used up their attempts. Forgets
  // workers that were not seen for a day.
  virtual Result<SweepOutcome> ExpireLeases() = 0;

  // Reads the whole queue.
  virtual Result<QueueSnapshot> ReadQueue() = 0;
  // Seen within a day, by name; the first kMaxPageSize of them.
  virtual Result<std::vector<Worker>> ListWorkers() = 0;
};

}  // namespace schedlab::server
