#include "server/campaigns/campaign_step.h"

#include "core/limits.h"
#include "server/campaigns/bisection_campaign.h"
#include "server/campaigns/gate_campaign.h"

namespace schedlab::server {
namespace {

// A call for each kind of question.
struct StepOfKind {
  const Catalog& catalog;
  const Campaign& campaign;
  const CampaignEvidence& evidence;

  std::int64_t RunsLeft() const { return campaign.run_budget - campaign.run_count; }

  Result<CampaignStep> operator()(const GateCampaign& gate) const {
    return NextGateStep(catalog, gate, evidence, RunsLeft());
  }
  // Its rounds are small, and may be used up before its runs are: it ends then with what is known.
  Result<CampaignStep> operator()(const BisectionCampaign& bisection) const {
    const auto* known = campaign.answer ? std::get_if<BisectionAnswer>(&*campaign.answer) : nullptr;
    return NextBisectionCampaignStep(
        catalog, bisection, known != nullptr ? known->probes : std::vector<PlannedProbe>(),
        evidence, campaign.round < kMaxCampaignRounds ? RunsLeft() : 0);
  }
};

}  // namespace

Result<CampaignStep> NextStep(const Catalog& catalog, const Campaign& campaign,
                              const CampaignEvidence& evidence) {
  return std::visit(StepOfKind{.catalog = catalog, .campaign = campaign, .evidence = evidence},
                    campaign.question);
}

}  // namespace schedlab::server
