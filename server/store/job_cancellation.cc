#include "server/store/job_cancellation.h"

#include <span>
#include <string>
#include <vector>

#include "server/store/job_rows.h"
#include "server/store/run_rows.h"

namespace schedlab::server {
namespace {

// Not shared: no other job that still runs has the run too.
constexpr const char* kUnsharedRuns = R"sql(
  SELECT r.id FROM unnest($1::bigint[]) AS r(id)
  WHERE NOT EXISTS (
    SELECT FROM job_runs jr JOIN jobs j ON j.id = jr.job_id
    WHERE jr.run_id = r.id AND jr.job_id <> $2 AND j.state = 'running')
  ORDER BY r.id
)sql";

void CancelRunsOf(pqxx::work& transaction, JobId id, std::span<const RunId> live) {
  std::vector<EndedRun> ended;
  const pqxx::result rows =
      transaction.exec_params(kUnsharedRuns, ArrayOfIds(live).text(), id.value);
  for (const pqxx::row& row : rows) {
    ended.push_back({.run = {row[0].as<std::int64_t>()}, .outcome = RunState::kCancelled});
  }
  EndRuns(transaction, ended);
}

}  // namespace

Result<Job> CancelJobIn(pqxx::work& transaction, JobId id) {
  const std::vector<RunId> live = LockLiveRunsOf(transaction, id);
  LockJobsOf(transaction, live, id);
  Result<Job> job = ReadJob(transaction, id);
  if (!job || job->state != JobState::kRunning) return job;
  transaction.exec_params("UPDATE jobs SET state = 'cancelled', finished_at = now() WHERE id = $1",
                          id.value);
  CancelRunsOf(transaction, id, live);
  return ReadJob(transaction, id);
}

}  // namespace schedlab::server
