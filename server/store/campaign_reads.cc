// Campaigns as users and the coordinators' loops read them.

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "server/store/campaign_rows.h"
#include "server/store/campaign_store.h"
#include "server/store/page_token.h"
#include "server/store/run_rows.h"
#include "server/store/series_rows.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// Rounds repeat the runs of those before them, which are then the same rows.
constexpr const char* kReadRuns = R"sql(
  WITH mine AS (
    SELECT jr.run_id, min(cj.round) AS round
    FROM campaign_jobs cj JOIN job_runs jr ON jr.job_id = cj.job_id
    WHERE cj.campaign_id = $1
    GROUP BY jr.run_id
  )
  SELECT m.round, r.key, coalesce(r.outcome, 'queued'), r.failure, coalesce(r.worker_name, ''),
    rr.metric_values,
    (SELECT array_agg(t.name ORDER BY i.ordinality)
     FROM unnest(rr.metric_ids) WITH ORDINALITY AS i(id, ordinality)
     JOIN metrics t ON t.id = i.id) AS metric_names
  FROM mine m
  JOIN runs r ON r.id = m.run_id
  LEFT JOIN run_results rr ON rr.run_id = r.id
  ORDER BY m.round, r.id
)sql";

constexpr const char* kSeriesOfCampaign = R"sql(
  SELECT DISTINCT s.id
  FROM (
    SELECT DISTINCT r.policy_id, r.revision_id, r.scenario_id, r.executor, r.engine_version
    FROM campaign_jobs cj JOIN job_runs jr ON jr.job_id = cj.job_id JOIN runs r ON r.id = jr.run_id
    WHERE cj.campaign_id = $1
  ) d
  JOIN policies p ON p.id = d.policy_id
  JOIN revisions v ON v.id = d.revision_id
  JOIN series s ON s.project = v.project AND s.policy = p.name AND s.variant = p.variant
    AND s.scenario_id = d.scenario_id AND s.executor = d.executor
    AND s.engine_version = d.engine_version
  ORDER BY s.id
)sql";

// The newest revisions of each series.
constexpr const char* kEarlierSamples = R"sql(
  WITH own AS (
    SELECT DISTINCT r.revision_id
    FROM campaign_jobs cj JOIN job_runs jr ON jr.job_id = cj.job_id JOIN runs r ON r.id = jr.run_id
    WHERE cj.campaign_id = $2
  )
  SELECT s.id, array_agg(a.value ORDER BY a.repetition, a.run_id)
  FROM campaigns c
  CROSS JOIN series s
  CROSS JOIN LATERAL (
    SELECT p.revision_id, v.ordinal
    FROM points p JOIN revisions v ON v.id = p.revision_id
    WHERE p.series_id = s.id AND p.revision_id NOT IN (SELECT revision_id FROM own)
      AND (SELECT count(*) FROM samples a
           WHERE a.series_id = s.id AND a.revision_id = p.revision_id
             AND a.recorded_at < c.created_at) > 1
    ORDER BY v.ordinal DESC LIMIT $3
  ) known
  JOIN samples a ON a.series_id = s.id AND a.revision_id = known.revision_id
    AND a.recorded_at < c.created_at
  WHERE c.id = $2 AND s.id = ANY($1::integer[]) AND s.role = 'headline'
  GROUP BY s.id, known.revision_id, known.ordinal
  ORDER BY s.id, known.ordinal DESC
)sql";

constexpr const char* kNewestMeasured = R"sql(
  SELECT r.revision
  FROM revisions r
  WHERE r.project = $1 AND r.policy = $2 AND r.revision <> '' AND r.ordinal < $3
    AND EXISTS (
      SELECT FROM points p JOIN series s ON s.id = p.series_id
      JOIN scenarios c ON c.id = s.scenario_id
      WHERE p.revision_id = r.id AND c.digest = ANY($4::text[]) AND s.executor = $5
        AND s.engine_version = $6)
  ORDER BY r.ordinal DESC LIMIT 1
)sql";

CampaignRun RunOf(const pqxx::row& row) {
  CampaignRun run;
  run.round = row[0].as<std::int32_t>();
  run.key = row[1].c_str();
  run.state = RunStateOf(row[2].c_str());
  run.failure = row[3].c_str();
  run.worker_name = row[4].c_str();
  if (row[5].is_null() || row[6].is_null()) return run;
  const std::vector<double> values = DoublesOf(row[5]);
  const std::vector<std::string> names = StringsOf(row[6]);
  for (std::size_t i = 0; i < names.size(); ++i) run.metrics.emplace(names[i], values.at(i));
  return run;
}

std::vector<CampaignId> IdsOf(const pqxx::result& rows) {
  std::vector<CampaignId> ids;
  for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
  return ids;
}

// Two statements, because one with "$1 = '' OR" would not use the index on project.
std::vector<CampaignId> ListIds(pqxx::work& transaction, const std::string& project,
                                std::int64_t before, std::size_t limit) {
  if (project.empty()) {
    return IdsOf(transaction.exec_params(
        "SELECT id FROM campaigns WHERE id < $1 ORDER BY id DESC LIMIT $2", before, limit));
  }
  return IdsOf(transaction.exec_params(
      "SELECT id FROM campaigns WHERE id < $1 AND project = $3 ORDER BY id DESC LIMIT $2", before,
      limit, project));
}

}  // namespace

Result<Campaign> CampaignStore::GetCampaign(CampaignId id) {
  return Transact(pool_, [&](pqxx::work& transaction) { return ReadCampaign(transaction, id); });
}

Result<std::vector<Campaign>> CampaignStore::GetCampaigns(std::span<const CampaignId> ids) {
  return Transact(pool_, [&](pqxx::work& transaction) {
    return ReadCampaigns(transaction, ids, CampaignColumns::kAll);
  });
}

Result<Page<Campaign>> CampaignStore::ListCampaigns(const std::string& project,
                                                    const PageRequest& page) {
  const std::string listing = fmt::format("campaigns of {}", project);
  const Result<std::int64_t> before =
      DecodePageToken(listing, page.token, std::numeric_limits<std::int64_t>::max());
  if (!before) return Fail(before.error());
  const auto size = static_cast<std::size_t>(PageSize(page.size));
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Page<Campaign>> {
    std::vector<CampaignId> ids = ListIds(transaction, project, *before, size + 1);
    Page<Campaign> answer;
    if (ids.size() > size) {
      ids.resize(size);
      answer.next_token = EncodePageToken(listing, ids.back().value);
    }
    Result<std::vector<Campaign>> campaigns =
        ReadCampaigns(transaction, ids, CampaignColumns::kWithoutAnswer);
    if (!campaigns) return Fail(campaigns.error());
    answer.items = std::move(*campaigns);
    return answer;
  });
}

Result<CampaignEvidence> CampaignStore::ReadEvidence(CampaignId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<CampaignEvidence> {
    CampaignEvidence evidence;
    for (const pqxx::row& row : transaction.exec_params(kReadRuns, id.value)) {
      evidence.runs.push_back(RunOf(row));
    }
    std::vector<SeriesId> ids;
    for (const pqxx::row& row : transaction.exec_params(kSeriesOfCampaign, id.value)) {
      ids.push_back({row[0].as<std::int64_t>()});
    }
    Result<SeriesById> series = ReadSeriesRows(transaction, ids);
    if (!series) return Fail(series.error());
    for (auto& entry : *series) evidence.series.push_back(std::move(entry.second));
    for (const pqxx::row& row : transaction.exec_params(
             kEarlierSamples, ArrayOfIds<SeriesId>(ids).text(), id.value, kMostEarlierRevisions)) {
      evidence.earlier[{row[0].as<std::int64_t>()}].push_back(DoublesOf(row[1]));
    }
    return evidence;
  });
}

Result<std::optional<std::string>> CampaignStore::FindNewestMeasured(const MeasuredSearch& search) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::optional<std::string>> {
    const pqxx::result rows = transaction.exec_params(
        kNewestMeasured, search.project, search.policy, search.before_ordinal,
        ArrayOfStrings(search.scenario_digests).text(), std::string(ToString(search.executor)),
        search.engine_version);
    if (rows.empty()) return std::optional<std::string>();
    return std::optional<std::string>(rows[0][0].c_str());
  });
}

Result<std::int64_t> CampaignStore::CountRunning() {
  return Transact(pool_, [](pqxx::work& transaction) -> Result<std::int64_t> {
    return transaction.exec1("SELECT count(*) FROM campaigns WHERE state = 'running'")[0]
        .as<std::int64_t>();
  });
}

}  // namespace schedlab::server
