#include "tests/cluster/watched_job_store.h"

#include <fmt/format.h>

#include <utility>

namespace schedlab::testing {
namespace {

std::string NameOf(const AttemptRef& attempt) {
  return fmt::format("run {} attempt {}", attempt.run.value, attempt.attempt);
}

bool EndsTheRun(const AttemptReport& report) {
  const auto* const failure = std::get_if<AttemptFailure>(&report.outcome);
  return failure == nullptr || !failure->is_retryable;
}

}  // namespace

WatchedJobStore::WatchedJobStore(server::JobStore& inner, Dice& dice, Violations& violations,
                                 Narrator narrate)
    : inner_(inner), dice_(dice), violations_(violations), narrate_(std::move(narrate)) {}

template <class T>
Result<T> WatchedJobStore::Pass(const std::function<Result<T>()>& call) {
  const bool is_failing = dice_.Chance(failure_probability_);
  const bool is_committed = !is_failing || dice_.Chance(0.5);
  const Error away{ErrorCode::kUnavailable, "the database is away"};
  if (!is_committed) return Fail(away);
  Result<T> result = call();
  if (is_failing) return Fail(away);
  return result;
}

Result<server::CreatedJob> WatchedJobStore::CreateJob(const server::NewJob& job) {
  return Pass<server::CreatedJob>([&] { return inner_.CreateJob(job); });
}

Result<Job> WatchedJobStore::GetJob(JobId id) { return inner_.GetJob(id); }

Result<std::vector<Job>> WatchedJobStore::GetJobs(std::span<const JobId> ids) {
  return inner_.GetJobs(ids);
}

Result<server::Page<Job>> WatchedJobStore::ListJobs(const std::string& project,
                                                    const server::PageRequest& page) {
  return inner_.ListJobs(project, page);
}

Result<server::Page<Run>> WatchedJobStore::ListRuns(JobId id, const server::PageRequest& page) {
  return inner_.ListRuns(id, page);
}

Result<Job> WatchedJobStore::CancelJob(JobId id) {
  return Pass<Job>([&] { return inner_.CancelJob(id); });
}

Result<server::LeaseReconciliation> WatchedJobStore::Reconcile(const server::WorkerStatus& status) {
  return Pass<server::LeaseReconciliation>([&] {
    Result<server::LeaseReconciliation> result = inner_.Reconcile(status);
    if (!result) return result;
    for (const Lease& lease : result->redelivered) SeeRedelivered(status.identity, lease);
    return result;
  });
}

Result<server::AcquiredLeases> WatchedJobStore::AcquireLeases(const WorkerIdentity& worker,
                                                              std::int32_t count) {
  return Pass<server::AcquiredLeases>([&] {
    Result<server::AcquiredLeases> acquired = inner_.AcquireLeases(worker, count);
    if (!acquired) return acquired;
    for (const Lease& lease : acquired->leases) SeeAcquired(worker, lease);
    return acquired;
  });
}

Result<std::vector<ReportDisposition>> WatchedJobStore::CompleteAttempts(
    const std::string& worker_name, std::span<const AttemptReport> reports) {
  return Pass<std::vector<ReportDisposition>>([&] {
    Result<std::vector<ReportDisposition>> result = inner_.CompleteAttempts(worker_name, reports);
    if (!result) return result;
    for (std::size_t i = 0; i < reports.size(); ++i) SeeReceipt(reports[i], (*result)[i]);
    return result;
  });
}

Result<server::SweepOutcome> WatchedJobStore::ExpireLeases() {
  return Pass<server::SweepOutcome>([&] {
    Result<server::SweepOutcome> result = inner_.ExpireLeases();
    if (result && result->requeued_count + result->failed_count > 0) {
      narrate_(fmt::format("store: {} expired, {} of them for good",
                           result->requeued_count + result->failed_count, result->failed_count));
    }
    return result;
  });
}

Result<std::int64_t> WatchedJobStore::CountQueued(const WorkerIdentity& worker,
                                                  std::int64_t limit) {
  return inner_.CountQueued(worker, limit);
}

Result<server::QueueSnapshot> WatchedJobStore::ReadQueue() { return inner_.ReadQueue(); }

Result<std::vector<Worker>> WatchedJobStore::ListWorkers() { return inner_.ListWorkers(); }

void WatchedJobStore::SeeAcquired(const WorkerIdentity& worker, const Lease& lease) {
  narrate_(fmt::format("store: leases {} to {}", NameOf(lease.attempt), worker.name));
  const RunId run = lease.attempt.run;
  const auto before = latest_.find(run);
  if (before != latest_.end() && before->second.attempt.attempt >= lease.attempt.attempt) {
    violations_.push_back(fmt::format("{} was leased after {}", NameOf(lease.attempt),
                                      NameOf(before->second.attempt)));
  }
  if (ranked_.contains(run)) {
    violations_.push_back(fmt::format("{} was leased after the run ended", NameOf(lease.attempt)));
  }
  latest_[run] = {
      .attempt = lease.attempt, .worker_name = worker.name, .incarnation = worker.incarnation};
}

void WatchedJobStore::SeeRedelivered(const WorkerIdentity& worker, const Lease& lease) {
  narrate_(fmt::format("store: redelivers {} to {}", NameOf(lease.attempt), worker.name));
  const auto holder = latest_.find(lease.attempt.run);
  const bool is_holder = holder != latest_.end() && holder->second.attempt == lease.attempt &&
                         holder->second.worker_name == worker.name &&
                         holder->second.incarnation == worker.incarnation;
  if (is_holder) return;
  violations_.push_back(fmt::format("{} was redelivered to {}, which does not hold it",
                                    NameOf(lease.attempt), worker.name));
}

// A repeated report gets the answer of the first, and only one attempt ends a run.
void WatchedJobStore::SeeReceipt(const AttemptReport& report, ReportDisposition disposition) {
  const bool is_accepted = disposition == ReportDisposition::kAccepted;
  narrate_(fmt::format("store: {} the report of {}", is_accepted ? "accepts" : "orphans",
                       NameOf(report.attempt)));
  const auto [first, is_first] = dispositions_.emplace(report.attempt, disposition);
  if (first->second != disposition) {
    violations_.push_back(
        fmt::format("the report of {} was answered in two ways", NameOf(report.attempt)));
  }
  if (!is_accepted || !EndsTheRun(report)) return;
  const auto [ranked, is_only] = ranked_.emplace(report.attempt.run, report.attempt);
  if (!is_only && ranked->second != report.attempt) {
    violations_.push_back(fmt::format("{} and {} both ended the run", NameOf(ranked->second),
                                      NameOf(report.attempt)));
  }
}

}  // namespace schedlab::testing
