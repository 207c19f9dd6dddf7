#pragma once

#include <functional>
#include <stop_token>

#include "core/catalog.h"
#include "core/log.h"
#include "core/result.h"
#include "server/store/campaign_store.h"
#include "server/telemetry.h"

namespace schedlab::server {

// Takes the next step of campaigns whose jobs have ended. Every coordinator does; the store sees to
// it that no step is taken twice, and that a step is taken whole or not at all. To be called from
// one thread.
class CampaignLoop {
 public:
  // `on_step`: jobs were created, or a campaign has ended.
  CampaignLoop(const Catalog& catalog, CampaignStore& store, Log& log, Telemetry& telemetry,
               std::function<void()> on_step);

  // Advances campaigns until none is ready, or until `stop`. A campaign whose step fails is given
  // back, and has failed in the end, so that it holds up neither others nor those who wait for it.
  // Fails where the store is away.
  Status AdvanceCampaigns(const std::stop_token& stop);

 private:
  Status Advance(const CampaignClaim& claim);
  Status AskForRound(const CampaignClaim& claim, const std::vector<JobSpec>& specs,
                     const CampaignAnswer& so_far);
  Status Finish(const CampaignClaim& claim, const CampaignAnswer& answer);
  Status GiveBack(const CampaignClaim& claim, const Error& failure);
  Result<NewJob> JobOf(const Campaign& campaign, const JobSpec& spec) const;

  const Catalog& catalog_;
  CampaignStore& store_;
  Log& log_;
  Telemetry& telemetry_;
  const std::function<void()> on_step_;
};

}  // namespace schedlab::server
