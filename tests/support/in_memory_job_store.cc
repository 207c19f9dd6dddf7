#include "tests/support/in_memory_job_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.h"
#include "server/store/page_token.h"
#include "server/store/report_rules.h"

namespace schedlab::testing {
namespace {

constexpr std::chrono::hours kRememberedTime{24};

Error NoSuchJob(JobId id) { return {ErrorCode::kNotFound, fmt::format("no job {}", id.value)}; }

void Count(RunState state, RunCounts& counts) {
  switch (state) {
    case RunState::kQueued:
      ++counts.queued;
      return;
    case RunState::kLeased:
      ++counts.leased;
      return;
    case RunState::kSucceeded:
      ++counts.succeeded;
      return;
    case RunState::kFailed:
      ++counts.failed;
      return;
    case RunState::kCancelled:
      ++counts.cancelled;
      return;
  }
}

Run PlannedRunView(const ExpandedJob& job, const PlannedRun& planned) {
  const PolicySpec& policy = job.policies[planned.policy_index];
  const Scenario& scenario = job.scenarios[planned.scenario_index];
  Run run;
  run.policy = policy.name;
  run.revision = policy.revision;
  run.variant = policy.variant;
  run.topology = scenario.topology.name;
  run.workload = scenario.workload.name;
  run.repetition = planned.repetition;
  run.seed = planned.seed;
  return run;
}

bool IsLive(const Run& run) {
  return run.state == RunState::kQueued || run.state == RunState::kLeased;
}

}  // namespace

InMemoryJobStore::InMemoryJobStore(const Clock& clock, std::chrono::milliseconds lease_ttl)
    : clock_(clock), lease_ttl_(lease_ttl) {}

Result<server::CreatedJob> InMemoryJobStore::CreateJob(const server::NewJob& job) {
  const MutexLock lock(mutex_);
  if (const JobRow* first = FindRequest(job.request_id)) {
    if (first->content_digest != job.content_digest) {
      return Fail(ErrorCode::kAlreadyExists,
                  fmt::format("request '{}' created job {} with other content", job.request_id,
                              first->job.id.value));
    }
    return server::CreatedJob{.job = View(*first), .is_new = false};
  }
  JobRow row;
  row.job.id = {static_cast<std::int64_t>(jobs_.size()) + 1};
  row.job.spec = job.spec;
  row.job.created_at = clock_.Now();
  row.request_id = job.request_id;
  row.content_digest = job.content_digest;
  for (const MetricSpec& metric : job.expanded.metrics) metrics_.insert(metric.name);
  for (std::size_t i = 0; i < job.expanded.runs.size(); ++i) {
    row.runs.push_back(FindOrAddRun(job, i, row));
  }
  row.job.state = StateFromRuns(View(row).run_counts);
  if (row.job.state != JobState::kRunning) row.job.finished_at = row.job.created_at;
  const JobRow& stored = jobs_.emplace(row.job.id, row).first->second;
  return server::CreatedJob{.job = View(stored), .is_new = true};
}

const InMemoryJobStore::JobRow* InMemoryJobStore::FindRequest(const std::string& request_id) const {
  for (const auto& [id, row] : jobs_) {
    if (row.request_id == request_id) return &row;
  }
  return nullptr;
}

RunId InMemoryJobStore::FindOrAddRun(const server::NewJob& job, std::size_t index, JobRow& row) {
  const PlannedRun& planned = job.expanded.runs[index];
  const auto known = shared_keys_.find(planned.key);
  if (known != shared_keys_.end()) {
    const RunState state = runs_.at(known->second).run.state;
    if (state == RunState::kSucceeded) ++row.job.cached_run_count;
    return known->second;
  }
  RunRow added;
  added.run = PlannedRunView(job.expanded, planned);
  added.run.id = {static_cast<std::int64_t>(runs_.size()) + 1};
  added.spec = SpecOf(job.expanded, planned);
  added.key = planned.key;
  added.order = {row.job.id, index};
  added.queued_at = clock_.Now();
  const RunId id = added.run.id;
  shared_keys_.emplace(planned.key, id);
  runs_.emplace(id, std::move(added));
  return id;
}

Job InMemoryJobStore::View(const JobRow& row) const {
  Job job = row.job;
  for (const RunId run : row.runs) Count(runs_.at(run).run.state, job.run_counts);
  return job;
}

Result<Job> InMemoryJobStore::GetJob(JobId id) {
  const MutexLock lock(mutex_);
  const auto row = jobs_.find(id);
  if (row == jobs_.end()) return Fail(NoSuchJob(id));
  return View(row->second);
}

Result<std::vector<Job>> InMemoryJobStore::GetJobs(std::span<const JobId> ids) {
  const MutexLock lock(mutex_);
  std::vector<Job> jobs;
  for (const JobId id : ids) {
    const auto row = jobs_.find(id);
    if (row != jobs_.end()) jobs.push_back(View(row->second));
  }
  return jobs;
}

Result<server::Page<Job>> InMemoryJobStore::ListJobs(const std::string& project,
                                                     const server::PageRequest& page) {
  const std::string listing = fmt::format("jobs of {}", project);
  const Result<std::int64_t> before =
      server::DecodePageToken(listing, page.token, std::numeric_limits<std::int64_t>::max());
  if (!before) return Fail(before.error());
  const auto size = static_cast<std::size_t>(server::PageSize(page.size));
  const MutexLock lock(mutex_);
  server::Page<Job> answer;
  for (auto row = jobs_.rbegin(); row != jobs_.rend(); ++row) {
    if (row->first.value >= *before) continue;
    if (!project.empty() && row->second.job.spec.project != project) continue;
    if (answer.items.size() == size) {
      answer.next_token = server::EncodePageToken(listing, answer.items.back().id.value);
      break;
    }
    answer.items.push_back(View(row->second));
  }
  return answer;
}

Result<server::Page<Run>> InMemoryJobStore::ListRuns(JobId id, const server::PageRequest& page) {
  const std::string listing = fmt::format("runs of job {}", id.value);
  const Result<std::int64_t> after = server::DecodePageToken(listing, page.token, -1);
  if (!after) return Fail(after.error());
  const MutexLock lock(mutex_);
  const auto row = jobs_.find(id);
  if (row == jobs_.end()) return Fail(NoSuchJob(id));
  const std::vector<RunId>& runs = row->second.runs;
  const auto first = static_cast<std::size_t>(*after + 1);
  const std::size_t end =
      std::min(runs.size(), first + static_cast<std::size_t>(server::PageSize(page.size)));
  server::Page<Run> answer;
  for (std::size_t i = first; i < end; ++i) answer.items.push_back(runs_.at(runs[i]).run);
  if (end < runs.size()) {
    answer.next_token = server::EncodePageToken(listing, static_cast<std::int64_t>(end) - 1);
  }
  return answer;
}

bool InMemoryJobStore::IsSharedByRunningJob(RunId run) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    const std::vector<RunId>& runs = entry.second.runs;
    return entry.second.job.state == JobState::kRunning &&
           std::find(runs.begin(), runs.end(), run) != runs.end();
  });
}

Result<Job> InMemoryJobStore::CancelJob(JobId id) {
  const MutexLock lock(mutex_);
  const auto row = jobs_.find(id);
  if (row == jobs_.end()) return Fail(NoSuchJob(id));
  Job& job = row->second.job;
  if (job.state != JobState::kRunning) return View(row->second);
  job.state = JobState::kCancelled;
  job.finished_at = clock_.Now();
  for (const RunId run : row->second.runs) {
    RunRow& shared = runs_.at(run);
    if (!IsLive(shared.run) || IsSharedByRunningJob(run)) continue;
    EndRun(shared, RunState::kCancelled, "");
  }
  return View(row->second);
}

AttemptRef InMemoryJobStore::AttemptOf(const RunRow& row) const {
  return {.run = row.run.id,
          .attempt = row.run.attempt,
          .token = row.lease ? row.lease->token : std::string()};
}

void InMemoryJobStore::EndRun(RunRow& row, RunState outcome, const std::string& failure) {
  SCHEDLAB_CHECK(CanMove(row.run.state, outcome));
  row.run.state = outcome;
  row.run.failure = failure;
  row.lease.reset();
  if (outcome != RunState::kSucceeded) shared_keys_.erase(row.key);
  FinishJobsOf(row.run.id, failure);
}

void InMemoryJobStore::FinishJobsOf(RunId run, const std::string& failure) {
  for (auto& [id, row] : jobs_) {
    if (std::find(row.runs.begin(), row.runs.end(), run) == row.runs.end()) continue;
    if (row.job.first_failure.empty()) row.job.first_failure = failure;
    if (row.job.state != JobState::kRunning) continue;
    row.job.state = StateFromRuns(View(row).run_counts);
    if (row.job.state != JobState::kRunning) row.job.finished_at = clock_.Now();
  }
}

void InMemoryJobStore::Requeue(RunRow& row) {
  SCHEDLAB_CHECK(CanMove(row.run.state, RunState::kQueued));
  row.run.state = RunState::kQueued;
  row.queued_at = clock_.Now();
  row.lease.reset();
}

void InMemoryJobStore::GiveUp(RunRow& row, const std::string& reason,
                              server::SweepOutcome& outcome) {
  if (row.run.attempt < kMaxAttempts) {
    Requeue(row);
    ++outcome.requeued_count;
    return;
  }
  EndRun(
      row, RunState::kFailed,
      fmt::format("attempt {} of {} brought no result: {}", row.run.attempt, kMaxAttempts, reason));
  ++outcome.failed_count;
}

Status InMemoryJobStore::See(const WorkerIdentity& identity) {
  std::deque<std::string>& earlier = earlier_incarnations_[identity.name];
  if (std::find(earlier.begin(), earlier.end(), identity.incarnation) != earlier.end()) {
    return Fail(SupersededError(identity.name));
  }
  const auto [seen, is_new] = workers_.try_emplace(identity.name);
  if (!is_new && seen->second.identity.incarnation != identity.incarnation) {
    earlier.push_front(seen->second.identity.incarnation);
    if (earlier.size() > std::size_t{kMaxEarlierIncarnations}) earlier.pop_back();
  }
  seen->second.identity = identity;
  seen->second.last_seen_at = clock_.Now();
  return {};
}

Result<server::LeaseReconciliation> InMemoryJobStore::Reconcile(
    const server::WorkerStatus& status) {
  const MutexLock lock(mutex_);
  const WallTime now = clock_.Now();
  if (Status s = See(status.identity); !s) return Fail(s.error());
  std::set<AttemptRef> running(status.running.begin(), status.running.end());
  server::LeaseReconciliation answer;
  server::SweepOutcome given_up;
  for (auto& [id, row] : runs_) {
    if (!row.lease || row.lease->worker_name != status.identity.name) continue;
    if (row.lease->incarnation != status.identity.incarnation) {
      GiveUp(row, fmt::format("worker {} restarted", status.identity.name), given_up);
    } else if (running.erase(AttemptOf(row)) > 0) {
      row.lease->expires_at = now + lease_ttl_;
    } else if (row.lease->expires_at > now) {
      answer.redelivered.push_back({.attempt = AttemptOf(row), .spec = row.spec});
    }
  }
  answer.stop.assign(running.begin(), running.end());
  return answer;
}

std::vector<InMemoryJobStore::RunRow*> InMemoryJobStore::QueuedFor(const WorkerIdentity& worker) {
  std::vector<RunRow*> queued;
  for (auto& [id, row] : runs_) {
    const bool can_execute = row.spec.engine_version == worker.engine_version &&
                             std::find(worker.executors.begin(), worker.executors.end(),
                                       row.spec.executor) != worker.executors.end();
    if (row.run.state == RunState::kQueued && can_execute) queued.push_back(&row);
  }
  std::sort(queued.begin(), queued.end(),
            [](const RunRow* a, const RunRow* b) { return a->order < b->order; });
  return queued;
}

Result<server::AcquiredLeases> InMemoryJobStore::AcquireLeases(const WorkerIdentity& worker,
                                                               std::int32_t count) {
  const MutexLock lock(mutex_);
  server::AcquiredLeases acquired;
  if (worker.is_draining) return acquired;
  const auto limit = static_cast<std::size_t>(std::clamp(count, 0, kMaxSlotsPerWorker));
  for (RunRow* row : QueuedFor(worker)) {
    if (acquired.leases.size() >= limit) break;
    SCHEDLAB_CHECK(CanMove(row->run.state, RunState::kLeased));
    row->run.state = RunState::kLeased;
    ++row->run.attempt;
    row->lease = LeaseRow{.token = fmt::format("token-{}", ++token_count_),
                          .worker_name = worker.name,
                          .incarnation = worker.incarnation,
                          .expires_at = clock_.Now() + lease_ttl_};
    acquired.leases.push_back({.attempt = AttemptOf(*row), .spec = row->spec});
    acquired.queue_waits.push_back(clock_.Now() - row->queued_at);
  }
  return acquired;
}

ReportDisposition InMemoryJobStore::Take(const AttemptReport& report) {
  const auto found = runs_.find(report.attempt.run);
  if (found == runs_.end()) return ReportDisposition::kOrphaned;
  RunRow& row = found->second;
  if (row.accepted.count(report.attempt) > 0) return ReportDisposition::kAccepted;
  if (!row.lease || AttemptOf(row) != report.attempt) return ReportDisposition::kOrphaned;
  row.accepted.insert(report.attempt);
  const server::ReportRuling ruling =
      server::RuleOn(report, [this](const std::string& name)
                                 SCHEDLAB_REQUIRES(mutex_) { return metrics_.count(name) > 0; });
  if (ruling.outcome == RunState::kQueued) {
    Requeue(row);
    return ReportDisposition::kAccepted;
  }
  if (ruling.outcome == RunState::kSucceeded) row.run.result = std::get<RunResult>(report.outcome);
  EndRun(row, ruling.outcome, ruling.failure);
  return ReportDisposition::kAccepted;
}

Result<std::vector<ReportDisposition>> InMemoryJobStore::CompleteAttempts(
    const std::string& /*worker_name*/, std::span<const AttemptReport> reports) {
  const MutexLock lock(mutex_);
  std::vector<ReportDisposition> dispositions;
  for (const AttemptReport& report : reports) dispositions.push_back(Take(report));
  return dispositions;
}

Result<server::SweepOutcome> InMemoryJobStore::ExpireLeases() {
  const MutexLock lock(mutex_);
  const WallTime now = clock_.Now();
  ForgetWorkers();
  server::SweepOutcome outcome;
  for (auto& [id, row] : runs_) {
    if (!row.lease || row.lease->expires_at >= now) continue;
    const std::string reason =
        fmt::format("the lease of worker {} expired", row.lease->worker_name);
    GiveUp(row, reason, outcome);
  }
  return outcome;
}

Result<std::int64_t> InMemoryJobStore::CountQueued(const WorkerIdentity& worker,
                                                   std::int64_t limit) {
  const MutexLock lock(mutex_);
  return std::min(limit, static_cast<std::int64_t>(QueuedFor(worker).size()));
}

Result<server::QueueSnapshot> InMemoryJobStore::ReadQueue() {
  const MutexLock lock(mutex_);
  const WallTime now = clock_.Now();
  server::QueueSnapshot snapshot;
  for (const auto& [id, row] : runs_) {
    if (row.run.state == RunState::kLeased) ++snapshot.leased_count;
    if (row.run.state != RunState::kQueued) continue;
    ++snapshot.queued_count;
    const std::chrono::duration<double> age = now - row.queued_at;
    snapshot.oldest_queued_age_seconds = std::max(snapshot.oldest_queued_age_seconds, age.count());
  }
  return snapshot;
}

void InMemoryJobStore::ForgetWorkers() {
  const WallTime oldest = clock_.Now() - kRememberedTime;
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (worker->second.last_seen_at > oldest) {
      ++worker;
      continue;
    }
    earlier_incarnations_.erase(worker->first);
    worker = workers_.erase(worker);
  }
}

Worker InMemoryJobStore::ViewWorker(const Worker& seen) const {
  Worker worker = seen;
  worker.state = worker.identity.is_draining ? WorkerState::kDraining : WorkerState::kActive;
  if (worker.last_seen_at < clock_.Now() - lease_ttl_) worker.state = WorkerState::kLost;
  for (const auto& [id, row] : runs_) {
    if (row.lease && row.lease->worker_name == worker.identity.name) ++worker.leased_count;
  }
  return worker;
}

Result<std::vector<Worker>> InMemoryJobStore::ListWorkers() {
  const MutexLock lock(mutex_);
  std::vector<Worker> workers;
  for (const auto& [name, seen] : workers_) {
    if (workers.size() == std::size_t{kMaxPageSize}) break;
    if (seen.last_seen_at > clock_.Now() - kRememberedTime) {
      workers.push_back(ViewWorker(seen));
    }
  }
  return workers;
}

}  // namespace schedlab::testing
