// A/A evaluations: when the next one may begin and with what, and what they have found.

#include <string>
#include <utility>

#include "core/spec_json.h"
#include "server/store/campaign_store.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// Nothing waits or runs, somebody could execute it, and this period has none yet. Its subject is
// the newest revision of the newest job that people have asked for and that measured a history.
constexpr const char* kFindSubject = R"sql(
  WITH moment AS (
    SELECT floor(extract(epoch FROM now()) / $1)::bigint AS period
  )
  SELECT m.period, j.spec_json, j.policy, j.revision
  FROM moment m
  CROSS JOIN LATERAL (
    SELECT jobs.spec_json, newest.policy, newest.revision
    FROM jobs
    CROSS JOIN LATERAL (
      SELECT v.policy, v.revision
      FROM job_runs jr JOIN runs r ON r.id = jr.run_id JOIN revisions v ON v.id = r.revision_id
      WHERE jr.job_id = jobs.id AND v.revision <> '' AND r.engine_version = $2
      ORDER BY v.ordinal DESC, v.policy LIMIT 1
    ) newest
    WHERE jobs.state = 'succeeded'
      AND NOT EXISTS (SELECT FROM campaign_jobs c WHERE c.job_id = jobs.id)
    ORDER BY jobs.id DESC LIMIT 1
  ) j
  WHERE NOT EXISTS (SELECT FROM live_runs)
    AND EXISTS (
      SELECT FROM workers w
      WHERE NOT w.is_draining AND w.engine_version = $2
        AND w.last_seen_at > now() - interval '1 minute')
    AND NOT EXISTS (SELECT FROM campaigns c WHERE c.request_id = $3 || m.period)
)sql";

constexpr const char* kCountFalseAlarms = R"sql(
  SELECT project, count(*), count(*) FILTER (WHERE aa_false_count > 0), sum(aa_cell_count),
    sum(aa_false_count)
  FROM campaigns
  WHERE aa_cell_count IS NOT NULL AND ($1 = '' OR project = $1)
    AND ($2 = 0 OR finished_at > now() - $2 * interval '1 day')
  GROUP BY project ORDER BY project
)sql";

}  // namespace

Result<std::optional<AaSubject>> CampaignStore::FindAaSubject(std::chrono::seconds interval,
                                                              const std::string& engine_version) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::optional<AaSubject>> {
    const pqxx::result rows = transaction.exec_params(
        kFindSubject, interval.count(), engine_version, std::string(kAaRequestPrefix));
    if (rows.empty()) return std::optional<AaSubject>();
    Result<JobSpec> suite = JobSpecFromJson(rows[0][1].c_str());
    if (!suite) return Fail(suite.error());
    return std::optional<AaSubject>(AaSubject{.period = rows[0][0].as<std::int64_t>(),
                                              .suite = std::move(*suite),
                                              .policy = rows[0][2].c_str(),
                                              .revision = rows[0][3].c_str()});
  });
}

Result<std::vector<FalseAlarms>> CampaignStore::CountFalseAlarms(const std::string& project,
                                                                 std::int64_t day_count) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<FalseAlarms>> {
    std::vector<FalseAlarms> counts;
    for (const pqxx::row& row : transaction.exec_params(kCountFalseAlarms, project, day_count)) {
      counts.push_back({.project = row[0].c_str(),
                        .evaluation_count = row[1].as<std::int64_t>(),
                        .alarm_count = row[2].as<std::int64_t>(),
                        .cell_count = row[3].as<std::int64_t>(),
                        .false_count = row[4].as<std::int64_t>()});
    }
    return counts;
  });
}

}  // namespace schedlab::server
