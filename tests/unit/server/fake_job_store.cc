#include "tests/unit/server/fake_job_store.h"

#include <algorithm>

namespace schedlab::server {
namespace {

tl::unexpected<Error> NotFaked() {
  return Fail(ErrorCode::kInternal, "this fake does not have the operation");
}

}  // namespace

void FakeJobStore::Queue(std::int64_t run_count) {
  const MutexLock lock(mutex_);
  queued_count_ += run_count;
}

void FakeJobStore::StopEverything() {
  const MutexLock lock(mutex_);
  stops_everything_ = true;
}

void FakeJobStore::SetJob(const Job& job) {
  const MutexLock lock(mutex_);
  jobs_[job.id] = job;
}

void FakeJobStore::SetAway(bool is_away) {
  const MutexLock lock(mutex_);
  is_away_ = is_away;
}

void FakeJobStore::ExpirePerSweep(std::int64_t lease_count) {
  const MutexLock lock(mutex_);
  expired_per_sweep_ = lease_count;
}

std::int64_t FakeJobStore::expiry_count() const {
  const MutexLock lock(mutex_);
  return expiry_count_;
}

std::int64_t FakeJobStore::reconcile_count() const {
  const MutexLock lock(mutex_);
  return reconcile_count_;
}

std::int64_t FakeJobStore::count_queued_count() const {
  const MutexLock lock(mutex_);
  return count_queued_count_;
}

Status FakeJobStore::CheckReachable() const {
  if (is_away_) return Fail(ErrorCode::kUnavailable, "the database is away");
  return {};
}

Result<CreatedJob> FakeJobStore::CreateJob(const NewJob& /*job*/) { return NotFaked(); }

Result<Job> FakeJobStore::GetJob(JobId id) {
  const MutexLock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return Fail(ErrorCode::kNotFound, "no such job");
  return found->second;
}

Result<std::vector<Job>> FakeJobStore::GetJobs(std::span<const JobId> ids) {
  const MutexLock lock(mutex_);
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  std::vector<Job> jobs;
  for (const JobId id : ids) {
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) jobs.push_back(found->second);
  }
  return jobs;
}

Result<Page<Job>> FakeJobStore::ListJobs(const std::string& /*project*/,
                                         const PageRequest& /*page*/) {
  return NotFaked();
}

Result<Page<Run>> FakeJobStore::ListRuns(JobId /*id*/, const PageRequest& /*page*/) {
  return NotFaked();
}

Result<Job> FakeJobStore::CancelJob(JobId /*id*/) { return NotFaked(); }

Result<LeaseReconciliation> FakeJobStore::Reconcile(const WorkerStatus& status) {
  const MutexLock lock(mutex_);
  ++reconcile_count_;
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  LeaseReconciliation reconciled;
  if (stops_everything_) reconciled.stop = status.running;
  return reconciled;
}

Result<AcquiredLeases> FakeJobStore::AcquireLeases(const WorkerIdentity& /*worker*/,
                                                   std::int32_t count) {
  const MutexLock lock(mutex_);
  AcquiredLeases acquired;
  const auto limit = static_cast<std::size_t>(count);
  for (; queued_count_ > 0 && acquired.leases.size() < limit; --queued_count_) {
    acquired.leases.push_back({.attempt = {RunId{next_run_++}, 1, "token"}, .spec = {}});
    acquired.queue_waits.emplace_back(kQueueWait);
  }
  return acquired;
}

Result<std::vector<ReportDisposition>> FakeJobStore::CompleteAttempts(
    const std::string& /*worker_name*/, std::span<const AttemptReport> reports) {
  const MutexLock lock(mutex_);
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  return std::vector<ReportDisposition>(reports.size(), ReportDisposition::kAccepted);
}

Result<SweepOutcome> FakeJobStore::ExpireLeases() {
  const MutexLock lock(mutex_);
  ++expiry_count_;
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  return SweepOutcome{.requeued_count = expired_per_sweep_, .failed_count = 0};
}

Result<std::int64_t> FakeJobStore::CountQueued(const WorkerIdentity& /*worker*/,
                                               std::int64_t limit) {
  const MutexLock lock(mutex_);
  ++count_queued_count_;
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  return std::min(limit, queued_count_);
}

Result<QueueSnapshot> FakeJobStore::ReadQueue() {
  const MutexLock lock(mutex_);
  if (const Status reachable = CheckReachable(); !reachable) return Fail(reachable.error());
  return QueueSnapshot{
      .queued_count = queued_count_, .leased_count = 0, .oldest_queued_age_seconds = 0};
}

Result<std::vector<Worker>> FakeJobStore::ListWorkers() { return std::vector<Worker>{}; }

}  // namespace schedlab::server
