#include "server/store/job_rows.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/check.h"
#include "core/spec_json.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

constexpr const char* kReadJobs = R"sql(
  SELECT j.id, j.spec_json, j.state, j.run_count, j.succeeded_count, j.failed_count,
    j.cancelled_count, coalesce(l.leased_count, 0), j.cached_run_count,
    (extract(epoch FROM j.created_at) * 1000000)::bigint,
    (extract(epoch FROM j.finished_at) * 1000000)::bigint,
    j.analyzed_at IS NOT NULL, j.first_failure, j.analysis_failure
  FROM jobs j
  LEFT JOIN (
    SELECT jr.job_id, count(*) AS leased_count
    FROM live_runs q JOIN job_runs jr ON jr.run_id = q.run_id
    WHERE q.worker_name IS NOT NULL AND jr.job_id = ANY($1::bigint[])
    GROUP BY jr.job_id
  ) l ON l.job_id = j.id
  WHERE j.id = ANY($1::bigint[])
)sql";

constexpr const char* kLockJobs = R"sql(
  SELECT id FROM jobs
  WHERE id = $2 OR id IN (SELECT job_id FROM job_runs WHERE run_id = ANY($1::bigint[]))
  ORDER BY id FOR NO KEY UPDATE
)sql";

constexpr const char* kCountEnded = R"sql(
  UPDATE jobs j SET
    succeeded_count = j.succeeded_count + d.succeeded_count,
    failed_count = j.failed_count + d.failed_count,
    cancelled_count = j.cancelled_count + d.cancelled_count,
    first_failure = CASE WHEN j.first_failure = '' THEN coalesce(d.failure, '')
                         ELSE j.first_failure END
  FROM (
    SELECT jr.job_id,
      count(*) FILTER (WHERE r.outcome = 'succeeded') AS succeeded_count,
      count(*) FILTER (WHERE r.outcome = 'failed') AS failed_count,
      count(*) FILTER (WHERE r.outcome = 'cancelled') AS cancelled_count,
      (array_agg(r.failure ORDER BY jr.position) FILTER (WHERE r.outcome = 'failed'))[1] AS failure
    FROM job_runs jr JOIN runs r ON r.id = jr.run_id
    WHERE jr.run_id = ANY($1::bigint[])
    GROUP BY jr.job_id
  ) d
  WHERE j.id = d.job_id
  RETURNING j.id, j.state, j.run_count, j.succeeded_count, j.failed_count, j.cancelled_count
)sql";

JobState StateOf(std::string_view text) {
  for (const JobState state :
       {JobState::kRunning, JobState::kSucceeded, JobState::kFailed, JobState::kCancelled}) {
    if (ToString(state) == text) return state;
  }
  SCHEDLAB_CHECK(false && "the CHECK of jobs.state lists the states");
  return JobState::kRunning;
}

// What has not ended and is not leased is queued.
RunCounts CountsOf(std::int64_t run_count, std::int64_t leased_count, const RunCounts& ended) {
  RunCounts counts = ended;
  counts.leased = leased_count;
  counts.queued = run_count - ended.total() - leased_count;
  return counts;
}

Result<Job> JobOf(const pqxx::row& row) {
  Job job;
  job.id = {row[0].as<std::int64_t>()};
  Result<JobSpec> spec = JobSpecFromJson(row[1].c_str());
  if (!spec) {
    return Fail(ErrorCode::kInternal, fmt::format("the stored spec of job {} cannot be read: {}",
                                                  job.id.value, spec.error().message));
  }
  job.spec = std::move(*spec);
  job.state = StateOf(row[2].c_str());
  job.run_counts = CountsOf(row[3].as<std::int64_t>(), row[7].as<std::int64_t>(),
                            {.succeeded = row[4].as<std::int64_t>(),
                             .failed = row[5].as<std::int64_t>(),
                             .cancelled = row[6].as<std::int64_t>()});
  job.cached_run_count = row[8].as<std::int64_t>();
  job.created_at = TimeOf(row[9]);
  if (!row[10].is_null()) job.finished_at = TimeOf(row[10]);
  job.is_analyzed = row[11].as<bool>();
  job.first_failure = row[12].c_str();
  job.analysis_failure = row[13].c_str();
  return job;
}

// Of a job whose state is read under its lock, so that nobody else finishes it.
void FinishIfEnded(pqxx::work& transaction, const pqxx::row& row) {
  const RunCounts ended = {.succeeded = row[3].as<std::int64_t>(),
                           .failed = row[4].as<std::int64_t>(),
                           .cancelled = row[5].as<std::int64_t>()};
  if (StateOf(row[1].c_str()) != JobState::kRunning) return;
  const JobState state = StateFromRuns(CountsOf(row[2].as<std::int64_t>(), 0, ended));
  if (state == JobState::kRunning) return;
  transaction.exec_params("UPDATE jobs SET state = $2, finished_at = now() WHERE id = $1",
                          row[0].as<std::int64_t>(), std::string(ToString(state)));
}

}  // namespace

Result<std::vector<Job>> ReadJobs(pqxx::work& transaction, std::span<const JobId> ids) {
  const pqxx::result rows = transaction.exec_params(kReadJobs, ArrayOfIds(ids).text());
  std::map<JobId, Job> found;
  for (const pqxx::row& row : rows) {
    Result<Job> job = JobOf(row);
    if (!job) return Fail(job.error());
    found.emplace(job->id, std::move(*job));
  }
  std::vector<Job> jobs;
  for (const JobId id : ids) {
    const auto job = found.find(id);
    if (job != found.end()) jobs.push_back(job->second);
  }
  return jobs;
}

Result<Job> ReadJob(pqxx::work& transaction, JobId id) {
  Result<std::vector<Job>> jobs = ReadJobs(transaction, {&id, 1});
  if (!jobs) return Fail(jobs.error());
  if (jobs->empty()) return Fail(ErrorCode::kNotFound, fmt::format("no job {}", id.value));
  return std::move(jobs->front());
}

void LockJobsOf(pqxx::work& transaction, std::span<const RunId> runs, JobId also) {
  transaction.exec_params(kLockJobs, ArrayOfIds(runs).text(), also.value);
}

void CountEndedRuns(pqxx::work& transaction, std::span<const RunId> runs) {
  if (runs.empty()) return;
  LockJobsOf(transaction, runs);
  const pqxx::result rows = transaction.exec_params(kCountEnded, ArrayOfIds(runs).text());
  for (const pqxx::row& row : rows) FinishIfEnded(transaction, row);
}

}  // namespace schedlab::server
