#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/campaign.h"
#include "core/catalog.h"
#include "core/result.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

// Finds the newest revision with stored results; CampaignStore::FindNewestMeasured().
using FindNewest = std::function<Result<std::optional<std::string>>(const MeasuredSearch&)>;

// Settles which two revisions a gate compares. A history of the catalog is a first-parent line
// without branches, so that the merge base of one of its commits is the commit's parent, and that
// is the rule taken then. kNotFound: a name that the catalog lacks. kFailedPrecondition: no
// revision that the rule could take. kInvalidArgument: a suite that cannot be a gate.
Result<GateSides> ResolveSides(const Catalog& catalog, const GateQuestion& question,
                               const FindNewest& find_newest);

}  // namespace schedlab::server
