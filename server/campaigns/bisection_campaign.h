#pragma once

#include <cstdint>
#include <vector>

#include "core/bisection.h"
#include "core/catalog.h"
#include "core/result.h"
#include "server/campaigns/campaign_step.h"

namespace schedlab::server {

// Asks for runs until stats::NextBisectionStep() has an answer, an end of the range cannot be run,
// or the next runs would exceed `runs_left`. `probes` are those of the answer so far: they say what
// each run was for. See NextStep().
Result<CampaignStep> NextBisectionCampaignStep(const Catalog& catalog,
                                               const BisectionCampaign& bisection,
                                               const std::vector<PlannedProbe>& probes,
                                               const CampaignEvidence& evidence,
                                               std::int64_t runs_left);

}  // namespace schedlab::server
