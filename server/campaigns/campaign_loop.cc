#include "server/campaigns/campaign_loop.h"

#include <fmt/format.h>

#include <utility>

#include "core/expansion.h"
#include "core/limits.h"
#include "server/campaigns/campaign_step.h"
#include "server/job_content.h"

namespace schedlab::server {
namespace {

constexpr std::size_t kDigestDigits = 16;

// Somebody else has the campaign, or has ended it: nothing is wrong.
bool IsOvertaken(const Error& error) { return error.code == ErrorCode::kFailedPrecondition; }

}  // namespace

CampaignLoop::CampaignLoop(const Catalog& catalog, CampaignStore& store, Log& log,
                           Telemetry& telemetry, std::function<void()> on_step)
    : catalog_(catalog),
      store_(store),
      log_(log),
      telemetry_(telemetry),
      on_step_(std::move(on_step)) {}

Status CampaignLoop::AdvanceCampaigns(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<std::optional<CampaignClaim>> claim = store_.ClaimCampaign();
    if (!claim) return Fail(claim.error());
    if (!claim->has_value()) return {};
    const Status advanced = Advance(**claim);
    if (!advanced) {
      if (advanced.error().code == ErrorCode::kUnavailable) return advanced;
      if (IsOvertaken(advanced.error())) continue;
      if (Status given = GiveBack(**claim, advanced.error()); !given) return given;
    }
    on_step_();
  }
  return {};
}

Status CampaignLoop::Advance(const CampaignClaim& claim) {
  const Result<CampaignEvidence> evidence = store_.ReadEvidence(claim.campaign.id);
  if (!evidence) return Fail(evidence.error());
  const Result<CampaignStep> step = NextStep(catalog_, claim.campaign, *evidence);
  if (!step) return Fail(step.error());
  if (step->jobs.empty()) return Finish(claim, step->answer);
  return AskForRound(claim, step->jobs, step->answer);
}

Status CampaignLoop::AskForRound(const CampaignClaim& claim, const std::vector<JobSpec>& specs,
                                 const CampaignAnswer& so_far) {
  if (claim.campaign.round >= kMaxCampaignRounds) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("a campaign has at most {} rounds", kMaxCampaignRounds));
  }
  std::vector<NewJob> jobs;
  for (const JobSpec& spec : specs) {
    Result<NewJob> job = JobOf(claim.campaign, spec);
    if (!job) return Fail(job.error());
    jobs.push_back(std::move(*job));
  }
  const Result<Campaign> stored = store_.StoreRound(claim, jobs, so_far);
  if (!stored) return Fail(stored.error());
  telemetry_.CountCampaignRound();
  log_.Info({"campaigns", "round_asked_for"}, {{"campaign", stored->id.value},
                                               {"round", std::int64_t{stored->round}},
                                               {"job_count", jobs.size()},
                                               {"run_count", stored->run_count}});
  return {};
}

// A repeated round is the same request, whoever makes it.
Result<NewJob> CampaignLoop::JobOf(const Campaign& campaign, const JobSpec& spec) const {
  Result<ExpandedJob> expanded = Expand(catalog_, spec);
  if (!expanded) return Fail(expanded.error());
  std::string digest = ContentDigest(spec, *expanded);
  return NewJob{.request_id = fmt::format("campaign {} round {} {}", campaign.id.value,
                                          campaign.round + 1, digest.substr(0, kDigestDigits)),
                .content_digest = std::move(digest),
                .spec = spec,
                .expanded = std::move(*expanded)};
}

Status CampaignLoop::Finish(const CampaignClaim& claim, const CampaignAnswer& answer) {
  Status finished = store_.FinishCampaign(claim, answer);
  if (!finished) return finished;
  log_.Info({"campaigns", "campaign_finished"}, {{"campaign", claim.campaign.id.value},
                                                 {"round", std::int64_t{claim.campaign.round}},
                                                 {"run_count", claim.campaign.run_count}});
  return {};
}

Status CampaignLoop::GiveBack(const CampaignClaim& claim, const Error& failure) {
  const Result<bool> has_failed = store_.ReleaseCampaign(claim, failure.message);
  if (!has_failed) return Fail(has_failed.error());
  log_.Warn({"campaigns", *has_failed ? "campaign_failed" : "step_failed"},
            {{"campaign", claim.campaign.id.value}, {"error", failure.message}});
  return {};
}

}  // namespace schedlab::server
