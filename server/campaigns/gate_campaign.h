#pragma once

#include <cstdint>

#include "core/campaign.h"
#include "core/catalog.h"
#include "core/result.h"
#include "server/campaigns/campaign_step.h"

namespace schedlab::server {

// Asks for runs of both sides until every headline metric of every scenario is decided, no look is
// left, or the next runs would exceed `runs_left`. See NextStep().
Result<CampaignStep> NextGateStep(const Catalog& catalog, const GateCampaign& gate,
                                  const CampaignEvidence& evidence, std::int64_t runs_left);

}  // namespace schedlab::server
