// Jobs and their runs as users read them.

#include <fmt/format.h>

#include <limits>

#include "core/check.h"
#include "server/store/job_cancellation.h"
#include "server/store/job_creation.h"
#include "server/store/job_rows.h"
#include "server/store/page_token.h"
#include "server/store/postgres_job_store.h"
#include "server/store/run_rows.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// A page of ids that was read with one row more than its size.
std::vector<JobId> IdsOf(const pqxx::result& rows) {
  std::vector<JobId> ids;
  for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
  return ids;
}

}  // namespace

PostgresJobStore::PostgresJobStore(ConnectionPool& pool, std::chrono::milliseconds lease_ttl)
    : pool_(pool), lease_ttl_(lease_ttl) {}

Result<CreatedJob> PostgresJobStore::CreateJob(const NewJob& job) {
  return Transact(pool_, [&](pqxx::work& transaction) { return CreateJobIn(transaction, job); });
}

Result<Job> PostgresJobStore::GetJob(JobId id) {
  return Transact(pool_, [&](pqxx::work& transaction) { return ReadJob(transaction, id); });
}

Result<std::vector<Job>> PostgresJobStore::GetJobs(std::span<const JobId> ids) {
  return Transact(pool_, [&](pqxx::work& transaction) { return ReadJobs(transaction, ids); });
}

Result<Page<Job>> PostgresJobStore::ListJobs(const std::string& project, const PageRequest& page) {
  const std::string listing = fmt::format("jobs of {}", project);
  const Result<std::int64_t> before =
      DecodePageToken(listing, page.token, std::numeric_limits<std::int64_t>::max());
  if (!before) return Fail(before.error());
  const auto size = static_cast<std::size_t>(PageSize(page.size));
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Page<Job>> {
    // Two statements, because one with "$1 = '' OR" would not use the index on project.
    std::vector<JobId> ids = IdsOf(
        project.empty()
            ? transaction.exec_params("SELECT id FROM jobs WHERE id < $1 ORDER BY id DESC LIMIT $2",
                                      *before, size + 1)
            : transaction.exec_params("SELECT id FROM jobs WHERE id < $1 AND project = $3 "
                                      "ORDER BY id DESC LIMIT $2",
                                      *before, size + 1, project));
    Page<Job> answer;
    if (ids.size() > size) {
      ids.resize(size);
      answer.next_token = EncodePageToken(listing, ids.back().value);
    }
    Result<std::vector<Job>> jobs = ReadJobs(transaction, ids);
    if (!jobs) return Fail(jobs.error());
    answer.items = std::move(*jobs);
    return answer;
  });
}

Result<Page<Run>> PostgresJobStore::ListRuns(JobId id, const PageRequest& page) {
  const std::string listing = fmt::format("runs of job {}", id.value);
  const Result<std::int64_t> after = DecodePageToken(listing, page.token, -1);
  if (!after) return Fail(after.error());
  const auto size = static_cast<std::size_t>(PageSize(page.size));
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Page<Run>> {
    if (transaction.exec_params("SELECT 1 FROM jobs WHERE id = $1", id.value).empty()) {
      return Fail(ErrorCode::kNotFound, fmt::format("no job {}", id.value));
    }
    std::vector<PositionedRun> runs =
        ReadRuns(transaction, {.job = id, .after = *after, .limit = size + 1});
    Page<Run> answer;
    if (runs.size() > size) {
      runs.resize(size);
      answer.next_token = EncodePageToken(listing, runs.back().position);
    }
    for (PositionedRun& run : runs) answer.items.push_back(std::move(run.run));
    return answer;
  });
}

Result<Job> PostgresJobStore::CancelJob(JobId id) {
  return Transact(pool_, [&](pqxx::work& transaction) { return CancelJobIn(transaction, id); });
}

}  // namespace schedlab::server
