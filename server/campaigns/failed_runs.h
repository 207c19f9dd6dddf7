#pragma once

#include <cstdint>
#include <string>

#include "core/run.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

// What a campaign runs is not tried again after so many failed or cancelled runs.
inline constexpr std::int64_t kMaxFailedRuns = 3;

// In few words: an answer may repeat them for each of its cells.
std::string DescribeFailure(const CampaignRun& run);

// A cancelled job may leave runs that it shares with others under way.
bool HasEnded(RunState state);

}  // namespace schedlab::server
