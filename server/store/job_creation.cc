#include "server/store/job_creation.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/spec_json.h"
#include "server/store/dimension_rows.h"
#include "server/store/job_rows.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// A shared run may end between the look at it and its lock; each try then meets a new one.
constexpr std::int32_t kMaxSharingTries = 10;

// In order of the keys, as two jobs with the same runs must meet them in one order.
constexpr const char* kInsertRuns = R"sql(
  INSERT INTO runs (key, job_id, policy_id, scenario_id, revision_id, executor, engine_version,
    repetition, seed)
  SELECT n.key, $1, n.policy_id, n.scenario_id, n.revision_id, $2, $3, n.repetition, n.seed
  FROM unnest($4::text[], $5::integer[], $6::integer[], $7::integer[], $8::integer[],
    $9::bigint[]) AS n(key, policy_id, scenario_id, revision_id, repetition, seed)
  WHERE NOT EXISTS (
    SELECT FROM runs r WHERE r.key = n.key AND (r.outcome IS NULL OR r.outcome = 'succeeded'))
  ORDER BY n.key
  ON CONFLICT (key) WHERE outcome IS NULL OR outcome = 'succeeded' DO NOTHING
)sql";

// Whoever ends a shared run locks its row first and then looks for its jobs: with this lock held,
// it finds this job too.
constexpr const char* kLockSharedRuns = R"sql(
  SELECT q.run_id FROM live_runs q
  WHERE q.run_id IN (SELECT r.id FROM runs r WHERE r.key = ANY($1::text[]) AND r.outcome IS NULL)
  ORDER BY q.run_id FOR SHARE
)sql";

constexpr const char* kInsertJobRuns = R"sql(
  INSERT INTO job_runs (job_id, position, run_id)
  SELECT $1, n.ordinality - 1, r.id
  FROM unnest($2::text[]) WITH ORDINALITY AS n(key, ordinality)
  JOIN runs r ON r.key = n.key AND (r.outcome IS NULL OR r.outcome = 'succeeded')
  WHERE r.job_id = $1 OR r.outcome = 'succeeded' OR r.id = ANY($3::bigint[])
)sql";

constexpr const char* kQueueRuns = R"sql(
  INSERT INTO live_runs (run_id, job_id, position, executor, engine_version)
  SELECT r.id, $1, min(jr.position), r.executor, r.engine_version
  FROM job_runs jr JOIN runs r ON r.id = jr.run_id
  WHERE jr.job_id = $1 AND r.job_id = $1
  GROUP BY r.id
)sql";

constexpr const char* kCountRuns = R"sql(
  UPDATE jobs SET run_count = c.run_count, succeeded_count = c.cached_count,
    cached_run_count = c.cached_count
  FROM (
    SELECT count(*) AS run_count, count(*) FILTER (WHERE r.outcome = 'succeeded') AS cached_count
    FROM job_runs jr JOIN runs r ON r.id = jr.run_id WHERE jr.job_id = $1
  ) c
  WHERE id = $1
)sql";

Result<std::optional<CreatedJob>> FindFirst(pqxx::work& transaction, const NewJob& job) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT id, content_digest FROM jobs WHERE request_id = $1", job.request_id);
  if (rows.empty()) return std::optional<CreatedJob>();
  const JobId id = {rows[0][0].as<std::int64_t>()};
  if (job.content_digest != rows[0][1].c_str()) {
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("request '{}' created job {} with other content: choose a new request "
                            "id",
                            job.request_id, id.value));
  }
  Result<Job> first = ReadJob(transaction, id);
  if (!first) return Fail(first.error());
  return CreatedJob{.job = std::move(*first), .is_new = false};
}

// Nothing where another transaction committed the same request id first.
std::optional<JobId> InsertJob(pqxx::work& transaction, const NewJob& job) {
  const pqxx::result rows = transaction.exec_params(
      "INSERT INTO jobs (request_id, content_digest, project, suite, spec_json, judged_metrics, "
      "state) VALUES ($1, $2, $3, $4, $5, $6::text[], 'running') "
      "ON CONFLICT (request_id) DO NOTHING RETURNING id",
      job.request_id, job.content_digest, job.spec.project, job.spec.suite, ToJson(job.spec),
      ArrayOfStrings(job.expanded.judged_metrics).text());
  if (rows.empty()) return std::nullopt;
  return JobId{rows[0][0].as<std::int64_t>()};
}

// The planned runs as parameters of kInsertRuns.
struct RunColumns {
  SqlArray keys;
  SqlArray policies;
  SqlArray scenarios;
  SqlArray revisions;
  SqlArray repetitions;
  SqlArray seeds;
};

RunColumns ColumnsOf(const ExpandedJob& job, const DimensionIds& ids) {
  RunColumns columns;
  for (const PlannedRun& run : job.runs) {
    columns.keys.Add(std::string_view(run.key));
    columns.policies.Add(ids.policies[run.policy_index]);
    columns.scenarios.Add(ids.scenarios[run.scenario_index]);
    columns.revisions.Add(ids.revisions[run.policy_index]);
    columns.repetitions.Add(std::int64_t{run.repetition});
    columns.seeds.Add(run.seed);
  }
  return columns;
}

SqlArray LockSharedRuns(pqxx::work& transaction, const std::string& keys) {
  SqlArray locked;
  const pqxx::result rows = transaction.exec_params(kLockSharedRuns, keys);
  for (const pqxx::row& row : rows) locked.Add(row[0].as<std::int64_t>());
  return locked;
}

// Gives every planned run a row: its own, or one that is live (and locked) or has succeeded.
Status AttachRuns(pqxx::work& transaction, JobId id, const ExpandedJob& job, Executor executor,
                  const DimensionIds& ids) {
  RunColumns columns = ColumnsOf(job, ids);
  for (std::int32_t tries = 0; tries < kMaxSharingTries; ++tries) {
    transaction.exec_params(kInsertRuns, id.value, std::string(ToString(executor)),
                            job.engine_version, columns.keys.text(), columns.policies.text(),
                            columns.scenarios.text(), columns.revisions.text(),
                            columns.repetitions.text(), columns.seeds.text());
    SqlArray locked = LockSharedRuns(transaction, columns.keys.text());
    const pqxx::result attached =
        transaction.exec_params(kInsertJobRuns, id.value, columns.keys.text(), locked.text());
    if (static_cast<std::size_t>(attached.affected_rows()) == job.runs.size()) return {};
    transaction.exec_params("DELETE FROM job_runs WHERE job_id = $1", id.value);
  }
  return Fail(ErrorCode::kUnavailable,
              fmt::format("runs that the job shares with others kept ending while it was created, "
                          "{} times",
                          kMaxSharingTries));
}

void FinishIfCached(pqxx::work& transaction, JobId id) {
  transaction.exec_params(
      "UPDATE jobs SET state = $2, finished_at = now() WHERE id = $1 AND "
      "succeeded_count = run_count",
      id.value, std::string(ToString(JobState::kSucceeded)));
}

}  // namespace

Result<CreatedJob> CreateJobIn(pqxx::work& transaction, const NewJob& job) {
  Result<std::optional<CreatedJob>> first = FindFirst(transaction, job);
  if (!first) return Fail(first.error());
  if (*first) return std::move(**first);
  const std::optional<JobId> id = InsertJob(transaction, job);
  if (!id) {
    first = FindFirst(transaction, job);
    if (!first) return Fail(first.error());
    SCHEDLAB_CHECK(first->has_value());  // jobs are never deleted
    return std::move(**first);
  }
  const DimensionIds ids = StoreDimensions(transaction, job.spec.project, job.expanded);
  Status attached = AttachRuns(transaction, *id, job.expanded, job.spec.executor, ids);
  if (!attached) return Fail(attached.error());
  transaction.exec_params(kQueueRuns, id->value);
  transaction.exec_params(kCountRuns, id->value);
  FinishIfCached(transaction, *id);
  Result<Job> created = ReadJob(transaction, *id);
  if (!created) return Fail(created.error());
  return CreatedJob{.job = std::move(*created), .is_new = true};
}

}  // namespace schedlab::server
