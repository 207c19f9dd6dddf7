#pragma once

#include <pqxx/pqxx>
#include <span>
#include <vector>

#include "core/campaign.h"
#include "core/ids.h"
#include "core/result.h"

namespace schedlab::server {

enum class CampaignColumns { kAll, kWithoutAnswer };

// Those of `ids` that exist, in the order of `ids`, in one snapshot.
Result<std::vector<Campaign>> ReadCampaigns(pqxx::work& transaction,
                                            std::span<const CampaignId> ids,
                                            CampaignColumns columns);
// kNotFound: no such campaign.
Result<Campaign> ReadCampaign(pqxx::work& transaction, CampaignId id);

}  // namespace schedlab::server
