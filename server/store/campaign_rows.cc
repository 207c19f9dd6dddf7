#include "server/store/campaign_rows.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/campaign_json.h"
#include "core/check.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// The counts are those of the jobs of the last round.
constexpr const char* kReadCampaigns = R"sql(
  SELECT c.id, c.project, c.question_json, CASE WHEN $2 THEN c.answer_json ELSE '' END, c.state,
    c.failure, c.round, c.run_budget, c.run_count,
    (extract(epoch FROM c.created_at) * 1000000)::bigint,
    (extract(epoch FROM c.updated_at) * 1000000)::bigint,
    (extract(epoch FROM c.finished_at) * 1000000)::bigint,
    coalesce(r.run_count, 0), coalesce(r.succeeded_count, 0), coalesce(r.failed_count, 0),
    coalesce(r.cancelled_count, 0), coalesce(l.leased_count, 0)
  FROM campaigns c
  LEFT JOIN LATERAL (
    SELECT sum(j.run_count)::bigint AS run_count, sum(j.succeeded_count)::bigint AS succeeded_count,
      sum(j.failed_count)::bigint AS failed_count, sum(j.cancelled_count)::bigint AS cancelled_count
    FROM campaign_jobs cj JOIN jobs j ON j.id = cj.job_id
    WHERE cj.campaign_id = c.id AND cj.round = c.round
  ) r ON true
  LEFT JOIN LATERAL (
    SELECT count(*) AS leased_count
    FROM campaign_jobs cj JOIN job_runs jr ON jr.job_id = cj.job_id
    JOIN live_runs q ON q.run_id = jr.run_id
    WHERE cj.campaign_id = c.id AND cj.round = c.round AND q.worker_name IS NOT NULL
      AND c.state = 'running'
  ) l ON true
  WHERE c.id = ANY($1::bigint[])
)sql";

constexpr const char* kReadCampaignJobs =
    "SELECT campaign_id, round, job_id FROM campaign_jobs WHERE campaign_id = ANY($1::bigint[]) "
    "ORDER BY campaign_id, round, job_id";

CampaignState StateOf(std::string_view text) {
  for (const CampaignState state : {CampaignState::kRunning, CampaignState::kFinished,
                                    CampaignState::kCancelled, CampaignState::kFailed}) {
    if (ToString(state) == text) return state;
  }
  SCHEDLAB_CHECK(false && "the CHECK of campaigns.state lists the states");
  return CampaignState::kRunning;
}

RunCounts RoundRunsOf(const pqxx::row& row) {
  RunCounts counts{.succeeded = row[13].as<std::int64_t>(),
                   .failed = row[14].as<std::int64_t>(),
                   .cancelled = row[15].as<std::int64_t>()};
  const std::int64_t live_count = row[12].as<std::int64_t>() - counts.total();
  counts.leased = row[16].as<std::int64_t>();
  counts.queued = live_count - counts.leased;
  return counts;
}

Error Unreadable(CampaignId id, const Error& why) {
  return {ErrorCode::kInternal,
          fmt::format("campaign {} is stored in a form that cannot be read: {}", id.value,
                      why.message)};
}

Result<Campaign> CampaignOf(const pqxx::row& row) {
  Campaign campaign;
  campaign.id = {row[0].as<std::int64_t>()};
  campaign.project = row[1].c_str();
  Result<CampaignQuestion> question = CampaignQuestionFromJson(row[2].c_str());
  if (!question) return Fail(Unreadable(campaign.id, question.error()));
  campaign.question = std::move(*question);
  if (row[3].size() > 0) {
    Result<CampaignAnswer> answer = CampaignAnswerFromJson(row[3].c_str());
    if (!answer) return Fail(Unreadable(campaign.id, answer.error()));
    campaign.answer = std::move(*answer);
  }
  campaign.state = StateOf(row[4].c_str());
  campaign.failure = row[5].c_str();
  campaign.round = row[6].as<std::int32_t>();
  campaign.run_budget = row[7].as<std::int64_t>();
  campaign.run_count = row[8].as<std::int64_t>();
  campaign.created_at = TimeOf(row[9]);
  campaign.updated_at = TimeOf(row[10]);
  if (!row[11].is_null()) campaign.finished_at = TimeOf(row[11]);
  campaign.round_runs = RoundRunsOf(row);
  return campaign;
}

}  // namespace

Result<std::vector<Campaign>> ReadCampaigns(pqxx::work& transaction,
                                            std::span<const CampaignId> ids,
                                            CampaignColumns columns) {
  const pqxx::result rows = transaction.exec_params(kReadCampaigns, ArrayOfIds(ids).text(),
                                                    columns == CampaignColumns::kAll);
  std::map<CampaignId, Campaign> found;
  for (const pqxx::row& row : rows) {
    Result<Campaign> campaign = CampaignOf(row);
    if (!campaign) return Fail(campaign.error());
    found.emplace(campaign->id, std::move(*campaign));
  }
  const pqxx::result jobs = transaction.exec_params(kReadCampaignJobs, ArrayOfIds(ids).text());
  for (const pqxx::row& row : jobs) {
    const auto campaign = found.find({row[0].as<std::int64_t>()});
    if (campaign == found.end()) continue;
    campaign->second.jobs.push_back(
        {.round = row[1].as<std::int32_t>(), .job = {row[2].as<std::int64_t>()}});
  }
  std::vector<Campaign> campaigns;
  for (const CampaignId id : ids) {
    const auto campaign = found.find(id);
    if (campaign != found.end()) campaigns.push_back(campaign->second);
  }
  return campaigns;
}

Result<Campaign> ReadCampaign(pqxx::work& transaction, CampaignId id) {
  Result<std::vector<Campaign>> campaigns =
      ReadCampaigns(transaction, {&id, 1}, CampaignColumns::kAll);
  if (!campaigns) return Fail(campaigns.error());
  if (campaigns->empty())
    return Fail(ErrorCode::kNotFound, fmt::format("no campaign {}", id.value));
  return std::move(campaigns->front());
}

}  // namespace schedlab::server
