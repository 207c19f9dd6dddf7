// How campaigns are created, claimed, advanced and ended.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "core/campaign_json.h"
#include "core/check.h"
#include "core/limits.h"
#include "server/store/campaign_rows.h"
#include "server/store/campaign_store.h"
#include "server/store/job_cancellation.h"
#include "server/store/job_creation.h"
#include "server/store/sql_values.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

constexpr const char* kRunningJobsOfRound = R"sql(
  SELECT FROM campaign_jobs cj JOIN jobs j ON j.id = cj.job_id
  WHERE cj.campaign_id = c.id AND cj.round = c.round AND j.state = 'running'
)sql";

std::string ClaimStatement() {
  return fmt::format(R"sql(
  UPDATE campaigns SET claimed_until = now() + $1 * interval '1 second',
    claim_token = gen_random_uuid()
  WHERE id = (
    SELECT c.id FROM campaigns c
    WHERE c.state = 'running' AND (c.claimed_until IS NULL OR c.claimed_until < now())
      AND NOT EXISTS ({})
    ORDER BY c.updated_at, c.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING id, claim_token
)sql",
                     kRunningJobsOfRound);
}

constexpr const char* kRelease = R"sql(
  UPDATE campaigns SET claimed_until = NULL, claim_token = NULL, try_count = try_count + 1,
    updated_at = now(),
    state = CASE WHEN try_count + 1 >= $3 THEN 'failed' ELSE state END,
    finished_at = CASE WHEN try_count + 1 >= $3 THEN now() END,
    failure = CASE WHEN try_count + 1 >= $3 THEN left($4, $5::integer) ELSE '' END
  WHERE id = $1 AND claim_token = $2::uuid AND state = 'running'
  RETURNING state = 'failed'
)sql";

// Runs that exist only because the job was created.
constexpr const char* kCountBrought = R"sql(
  SELECT count(DISTINCT r.id) FROM job_runs jr JOIN runs r ON r.id = jr.run_id
  WHERE jr.job_id = ANY($1::bigint[]) AND r.job_id = jr.job_id
)sql";

Result<std::optional<Campaign>> FindFirst(pqxx::work& transaction, const std::string& request_id,
                                          const std::string& content_digest) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT id, content_digest FROM campaigns WHERE request_id = $1", request_id);
  if (rows.empty()) return std::optional<Campaign>();
  const CampaignId id = {rows[0][0].as<std::int64_t>()};
  if (content_digest != rows[0][1].c_str()) {
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("request '{}' created campaign {} with other content: choose a new "
                            "request id",
                            request_id, id.value));
  }
  Result<Campaign> first = ReadCampaign(transaction, id);
  if (!first) return Fail(first.error());
  return std::optional<Campaign>(std::move(*first));
}

// Nothing where another transaction committed the same request id first.
std::optional<CampaignId> InsertCampaign(pqxx::work& transaction, const NewCampaign& campaign) {
  const pqxx::result rows = transaction.exec_params(
      "INSERT INTO campaigns (request_id, content_digest, project, kind, question_json, state, "
      "run_budget) VALUES ($1, $2, $3, $4, $5, 'running', $6) "
      "ON CONFLICT (request_id) DO NOTHING RETURNING id",
      campaign.request_id, campaign.content_digest, campaign.project,
      std::string(KindOf(campaign.question)), ToJson(campaign.question), campaign.run_budget);
  if (rows.empty()) return std::nullopt;
  return CampaignId{rows[0][0].as<std::int64_t>()};
}

struct LockedCampaign {
  std::string state;
  bool is_mine = false;
  std::int32_t round = 0;
  std::int64_t run_budget = 0;
  std::int64_t run_count = 0;
};

Result<LockedCampaign> LockCampaign(pqxx::work& transaction, CampaignId id,
                                    const std::string& token) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT state, claim_token IS NOT NULL AND claim_token::text = $2, round, run_budget, "
      "run_count FROM campaigns WHERE id = $1 FOR NO KEY UPDATE",
      id.value, token);
  if (rows.empty()) return Fail(ErrorCode::kNotFound, fmt::format("no campaign {}", id.value));
  return LockedCampaign{.state = rows[0][0].c_str(),
                        .is_mine = rows[0][1].as<bool>(),
                        .round = rows[0][2].as<std::int32_t>(),
                        .run_budget = rows[0][3].as<std::int64_t>(),
                        .run_count = rows[0][4].as<std::int64_t>()};
}

Status CheckClaim(const LockedCampaign& campaign, CampaignId id) {
  if (campaign.state != ToString(CampaignState::kRunning)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("campaign {} is {}", id.value, campaign.state));
  }
  if (!campaign.is_mine) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("campaign {} is claimed by another coordinator", id.value));
  }
  return {};
}

Result<std::vector<JobId>> CreateJobs(pqxx::work& transaction, std::span<const NewJob> jobs) {
  std::vector<JobId> ids;
  for (const NewJob& job : jobs) {
    const Result<CreatedJob> created = CreateJobIn(transaction, job);
    if (!created) return Fail(created.error());
    ids.push_back(created->job.id);
  }
  return ids;
}

Status CheckBudget(const LockedCampaign& campaign, std::int64_t brought_count) {
  if (campaign.run_count + brought_count <= campaign.run_budget) return {};
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("the next round brings {} runs, and the budget of {} has {} left", brought_count,
                  campaign.run_budget, campaign.run_budget - campaign.run_count));
}

// A claim and its step are over.
constexpr const char* kStoreRound = R"sql(
  UPDATE campaigns SET round = $2, run_count = $3, answer_json = $4, updated_at = now(),
    claimed_until = NULL, claim_token = NULL, try_count = 0
  WHERE id = $1
)sql";

constexpr const char* kFinish = R"sql(
  UPDATE campaigns SET state = 'finished', answer_json = $2, updated_at = now(),
    finished_at = now(), claimed_until = NULL
  WHERE id = $1
)sql";

// Of an A/A evaluation: cells that it judged, and false alarms among them.
void StoreFalseAlarms(pqxx::work& transaction, const Campaign& campaign,
                      const CampaignAnswer& answer) {
  const auto* gate = std::get_if<GateCampaign>(&campaign.question);
  if (gate == nullptr || gate->sides.rule_taken != BaselineRule::kItself) return;
  const std::vector<ComparisonRow>& rows = std::get<GateAnswer>(answer).rows;
  const auto false_alarms = std::count_if(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    return row.verdict == Verdict::kWorse || row.verdict == Verdict::kBetter;
  });
  transaction.exec_params(
      "UPDATE campaigns SET aa_cell_count = $2, aa_false_count = $3 WHERE id = $1",
      campaign.id.value, rows.size(), false_alarms);
}

// Whether the campaign has failed with it.
bool Release(pqxx::work& transaction, CampaignId id, const std::string& token,
             const std::string& failure) {
  const pqxx::result rows =
      transaction.exec_params(kRelease, id.value, token, kMaxCampaignTries, failure,
                              static_cast<std::int64_t>(kMaxTextLength));
  return !rows.empty() && rows[0][0].as<bool>();
}

}  // namespace

Result<std::optional<Campaign>> CampaignStore::FindCreated(const std::string& request_id,
                                                           const std::string& content_digest) {
  return Transact(pool_, [&](pqxx::work& transaction) {
    return FindFirst(transaction, request_id, content_digest);
  });
}

Result<CreatedCampaign> CampaignStore::CreateCampaign(const NewCampaign& campaign) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<CreatedCampaign> {
    const std::optional<CampaignId> id = InsertCampaign(transaction, campaign);
    if (id) {
      Result<Campaign> created = ReadCampaign(transaction, *id);
      if (!created) return Fail(created.error());
      return CreatedCampaign{.campaign = std::move(*created), .is_new = true};
    }
    Result<std::optional<Campaign>> first =
        FindFirst(transaction, campaign.request_id, campaign.content_digest);
    if (!first) return Fail(first.error());
    SCHEDLAB_CHECK(first->has_value());  // campaigns are never deleted
    return CreatedCampaign{.campaign = std::move(**first), .is_new = false};
  });
}

Result<Campaign> CampaignStore::CancelCampaign(CampaignId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Campaign> {
    const Result<LockedCampaign> locked = LockCampaign(transaction, id, "");
    if (!locked) return Fail(locked.error());
    Result<Campaign> campaign = ReadCampaign(transaction, id);
    if (!campaign || campaign->state != CampaignState::kRunning) return campaign;
    transaction.exec_params(
        "UPDATE campaigns SET state = 'cancelled', updated_at = now(), finished_at = now(), "
        "claimed_until = NULL, claim_token = NULL WHERE id = $1",
        id.value);
    for (const CampaignJob& job : campaign->jobs) {
      const Result<Job> cancelled = CancelJobIn(transaction, job.job);
      if (!cancelled) return Fail(cancelled.error());
    }
    return ReadCampaign(transaction, id);
  });
}

// The claim's own look at the jobs may be older than the row that it locked: another coordinator
// may just have stored a round. A second statement sees the jobs of that round.
Result<std::optional<CampaignClaim>> CampaignStore::ClaimCampaign() {
  return Transact(pool_, [](pqxx::work& transaction) -> Result<std::optional<CampaignClaim>> {
    const pqxx::result rows = transaction.exec_params(
        ClaimStatement(), static_cast<std::int64_t>(kCampaignClaim.count()));
    if (rows.empty()) return std::optional<CampaignClaim>();
    const CampaignId id = {rows[0][0].as<std::int64_t>()};
    const pqxx::result early = transaction.exec_params(
        fmt::format("UPDATE campaigns c SET claimed_until = NULL, claim_token = NULL "
                    "WHERE c.id = $1 AND EXISTS ({})",
                    kRunningJobsOfRound),
        id.value);
    if (early.affected_rows() > 0) return std::optional<CampaignClaim>();
    Result<Campaign> campaign = ReadCampaign(transaction, id);
    if (campaign) {
      return std::optional(
          CampaignClaim{.campaign = std::move(*campaign), .token = rows[0][1].c_str()});
    }
    // One that cannot be read must not stand before the others for ever.
    Release(transaction, id, rows[0][1].c_str(), campaign.error().message);
    return std::optional<CampaignClaim>();
  });
}

Result<Campaign> CampaignStore::StoreRound(const CampaignClaim& claim, std::span<const NewJob> jobs,
                                           const CampaignAnswer& so_far) {
  const CampaignId id = claim.campaign.id;
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Campaign> {
    const Result<LockedCampaign> locked = LockCampaign(transaction, id, claim.token);
    if (!locked) return Fail(locked.error());
    if (const Status mine = CheckClaim(*locked, id); !mine) return Fail(mine.error());
    const Result<std::vector<JobId>> created = CreateJobs(transaction, jobs);
    if (!created) return Fail(created.error());
    SqlArray ids = ArrayOfIds<JobId>(*created);
    const auto brought_count =
        transaction.exec_params1(kCountBrought, ids.text())[0].as<std::int64_t>();
    if (const Status left = CheckBudget(*locked, brought_count); !left) return Fail(left.error());
    transaction.exec_params(
        "INSERT INTO campaign_jobs (campaign_id, round, job_id) "
        "SELECT $1, $2, n.id FROM unnest($3::bigint[]) AS n(id)",
        id.value, locked->round + 1, ids.text());
    transaction.exec_params(kStoreRound, id.value, locked->round + 1,
                            locked->run_count + brought_count, ToJson(so_far));
    return ReadCampaign(transaction, id);
  });
}

Status CampaignStore::FinishCampaign(const CampaignClaim& claim, const CampaignAnswer& answer) {
  const CampaignId id = claim.campaign.id;
  return Transact(pool_, [&](pqxx::work& transaction) -> Status {
    const Result<LockedCampaign> locked = LockCampaign(transaction, id, claim.token);
    if (!locked) return Fail(locked.error());
    // The token stays with the end that it made, so that a repetition is told from a latecomer.
    if (locked->state == ToString(CampaignState::kFinished) && locked->is_mine) return {};
    if (Status mine = CheckClaim(*locked, id); !mine) return mine;
    transaction.exec_params(kFinish, id.value, ToJson(answer));
    StoreFalseAlarms(transaction, claim.campaign, answer);
    return {};
  });
}

Result<bool> CampaignStore::ReleaseCampaign(const CampaignClaim& claim,
                                            const std::string& failure) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<bool> {
    return Release(transaction, claim.campaign.id, claim.token, failure);
  });
}

}  // namespace schedlab::server
