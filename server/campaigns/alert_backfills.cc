#include "server/campaigns/alert_backfills.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/alert_question.h"
#include "core/engine_version.h"
#include "server/campaigns/settle_question.h"
#include "server/store/own_requests.h"

namespace schedlab::server {
namespace {

// The largest effect among what this engine can measure again.
const AlertCell* StrongestCell(const Alert& alert) {
  const auto found =
      std::find_if(alert.cells.begin(), alert.cells.end(), [](const AlertCell& cell) {
        return cell.change.is_regression && cell.series.key.engine_version == kEngineVersion;
      });
  return found == alert.cells.end() ? nullptr : &*found;
}

bool IsStoreAway(const Error& error) { return error.code == ErrorCode::kUnavailable; }

}  // namespace

AlertBackfills::AlertBackfills(const Catalog& catalog, Stores stores, Log& log,
                               std::int64_t run_budget, std::function<void()> on_begun)
    : catalog_(catalog),
      stores_(stores),
      log_(log),
      run_budget_(run_budget),
      on_begun_(std::move(on_begun)) {}

Status AlertBackfills::BeginOne() {
  if (run_budget_ == 0) return {};
  const Result<std::optional<AlertId>> id =
      stores_.campaigns.FindAlertToBackfill(refused_, std::string(kEngineVersion));
  if (!id) return Fail(id.error());
  if (!*id) return {};
  const Result<Alert> alert = stores_.alerts.GetAlert(**id);
  if (!alert) return Fail(alert.error());
  const Result<NewCampaign> campaign = CampaignFor(*alert);
  if (!campaign) return Refuse(alert->id, campaign.error());
  const Result<CreatedCampaign> created = stores_.campaigns.CreateCampaign(*campaign);
  // Another coordinator was quicker, when the alert's interval was another one.
  if (!created && created.error().code == ErrorCode::kAlreadyExists) return {};
  if (!created) return Fail(created.error());
  if (!created->is_new) return {};
  log_.Info({"campaigns", "backfill_begun"},
            {{"alert", alert->id.value}, {"campaign", created->campaign.id.value}});
  on_begun_();
  return {};
}

Result<NewCampaign> AlertBackfills::CampaignFor(const Alert& alert) {
  const AlertCell* const cell = StrongestCell(alert);
  const std::optional<JobId> id = cell == nullptr ? std::nullopt : JobOf(*cell);
  if (!id) return Fail(ErrorCode::kFailedPrecondition, "no run of either side is stored");
  const Result<Job> job = stores_.jobs.GetJob(*id);
  if (!job) return Fail(job.error());
  std::string request = fmt::format("{}{}", kBackfillRequestPrefix, alert.id.value);
  Result<BisectionQuestion> question = QuestionOf(catalog_, alert, *cell, job->spec, request);
  if (!question) return Fail(question.error());
  Result<CampaignQuestion> settled = SettleQuestion(catalog_, *question);
  if (!settled) return Fail(settled.error());
  return NewCampaign{.request_id = std::move(request),
                     .content_digest = QuestionDigest(*question, run_budget_),
                     .project = alert.project,
                     .question = std::move(*settled),
                     .run_budget = run_budget_};
}

Status AlertBackfills::Refuse(AlertId alert, const Error& error) {
  if (IsStoreAway(error)) return Fail(error);
  refused_.push_back(alert);
  log_.Warn({"campaigns", "backfill_refused"}, {{"alert", alert.value}, {"error", error.message}});
  return {};
}

}  // namespace schedlab::server
