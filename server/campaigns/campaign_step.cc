#include "server/campaigns/campaign_step.h"

#include "server/campaigns/gate_campaign.h"

namespace schedlab::server {
namespace {

// A call for each kind of question.
struct StepOfKind {
  const Catalog& catalog;
  const CampaignEvidence& evidence;
  std::int64_t runs_left;

  Result<CampaignStep> operator()(const GateCampaign& gate) const {
    return NextGateStep(catalog, gate, evidence, runs_left);
  }
};

}  // namespace

Result<CampaignStep> NextStep(const Catalog& catalog, const Campaign& campaign,
                              const CampaignEvidence& evidence) {
  return std::visit(StepOfKind{.catalog = catalog,
                               .evidence = evidence,
                               .runs_left = campaign.run_budget - campaign.run_count},
                    campaign.question);
}

}  // namespace schedlab::server
