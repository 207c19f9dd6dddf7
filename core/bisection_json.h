#pragma once

#include "core/bisection.h"
#include "core/json_parts.h"
#include "core/result.h"

namespace schedlab {

// A bisection's part of core/campaign_json.h. Reading throws what the JSON library throws.
Json BisectionQuestionJson(const BisectionQuestion& question);
Json BisectionJson(const BisectionCampaign& bisection);
Json BisectionAnswerJson(const BisectionAnswer& answer);

Result<BisectionCampaign> BisectionFrom(const Json& json);
BisectionAnswer BisectionAnswerFrom(const Json& json);

}  // namespace schedlab
