#pragma once

#include <cstdint>

#include "core/campaign.h"
#include "core/false_alarms.h"
#include "core/result.h"
#include "schedlab/v1/campaigns.pb.h"

namespace schedlab::rpc {

v1::BaselineRule Encode(BaselineRule rule);
// BASELINE_RULE_UNSPECIFIED is kMergeBase.
Result<BaselineRule> Decode(v1::BaselineRule wire);

v1::GateEnd Encode(GateEnd end);
Result<GateEnd> Decode(v1::GateEnd wire);

v1::CampaignState Encode(CampaignState state);
Result<CampaignState> Decode(v1::CampaignState wire);

v1::GateQuestion Encode(const GateQuestion& question);
Result<GateQuestion> Decode(const v1::GateQuestion& wire);

// The wire has the ids and subjects of both revisions.
v1::Campaign Encode(const Campaign& campaign);
Result<Campaign> Decode(const v1::Campaign& wire);

v1::FalseAlarms Encode(const FalseAlarms& alarms);
Result<FalseAlarms> Decode(const v1::FalseAlarms& wire);

}  // namespace schedlab::rpc
