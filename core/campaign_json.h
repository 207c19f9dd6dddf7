#pragma once

#include <string>
#include <string_view>

#include "core/campaign.h"
#include "core/result.h"

namespace schedlab {

// The JSON in which campaigns are stored, with a format version: keys in order, no white space, so
// that equal values have equal text. Parsing fails with kInvalidArgument, also for a version or a
// kind that is not known.
std::string ToJson(const GateQuestion& question);
std::string ToJson(const BisectionQuestion& question);
std::string ToJson(const CampaignQuestion& question);
std::string ToJson(const CampaignAnswer& answer);

Result<CampaignQuestion> CampaignQuestionFromJson(std::string_view text);
Result<CampaignAnswer> CampaignAnswerFromJson(std::string_view text);

}  // namespace schedlab
