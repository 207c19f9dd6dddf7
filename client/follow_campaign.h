#pragma once

#include <functional>
#include <string>

#include "client/coordinator.h"
#include "client/terminal.h"
#include "core/campaign.h"

namespace schedlab::client {

// Follows a campaign to its end with progress on stderr, where that is wanted: a line from
// `describe_round` for each round, then how far its runs are.
Result<Campaign> FollowCampaign(Coordinator& coordinator, const CampaignWords& words, CampaignId id,
                                const WatchLimits& limits, const Terminal& terminal,
                                const std::function<std::string(const Campaign&)>& describe_round);

// "round 2: 8 runs".
std::string DescribeRound(const Campaign& campaign);

}  // namespace schedlab::client
