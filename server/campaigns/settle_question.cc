#include "server/campaigns/settle_question.h"

#include <fmt/format.h>

#include <utility>

#include "core/campaign_json.h"
#include "core/spec_json.h"
#include "server/campaigns/bisection_range.h"
#include "server/campaigns/gate_suite.h"

namespace schedlab::server {

Result<CampaignQuestion> SettleQuestion(const Catalog& catalog, const GateQuestion& question,
                                        const FindNewest& find_newest) {
  Result<GateSides> sides = ResolveSides(catalog, question, find_newest);
  if (!sides) return Fail(sides.error());
  GateCampaign gate{.question = question, .sides = std::move(*sides)};
  const Result<GateSuite> suite = ExpandGate(catalog, gate);
  if (!suite) return Fail(suite.error());
  return gate;
}

Result<CampaignQuestion> SettleQuestion(const Catalog& catalog, const BisectionQuestion& question) {
  Result<BisectionRange> range = ResolveRange(catalog, question);
  if (!range) return Fail(range.error());
  return BisectionCampaign{.question = question, .range = std::move(*range)};
}

std::string QuestionDigest(const GateQuestion& question, std::int64_t run_budget) {
  return Sha256Hex(fmt::format("gate\n{}\n{}", ToJson(question), run_budget));
}

std::string QuestionDigest(const BisectionQuestion& question, std::int64_t run_budget) {
  return Sha256Hex(fmt::format("bisection\n{}\n{}", ToJson(question), run_budget));
}

}  // namespace schedlab::server
