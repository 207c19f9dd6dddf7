#pragma once

#include <cstdint>
#include <string>

#include "core/bisection.h"
#include "core/campaign.h"
#include "core/catalog.h"
#include "core/result.h"
#include "server/campaigns/gate_sides.h"

namespace schedlab::server {

// What a question means by the catalog and by what is stored now. Expands it too, so that what
// cannot be run is refused before it is stored.
Result<CampaignQuestion> SettleQuestion(const Catalog& catalog, const GateQuestion& question,
                                        const FindNewest& find_newest);
Result<CampaignQuestion> SettleQuestion(const Catalog& catalog, const BisectionQuestion& question);

// Of what was asked, not of what it came to mean: the newest measured revision may be another one
// when the request is repeated.
std::string QuestionDigest(const GateQuestion& question, std::int64_t run_budget);
std::string QuestionDigest(const BisectionQuestion& question, std::int64_t run_budget);

}  // namespace schedlab::server
