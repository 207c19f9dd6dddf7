#pragma once

#include <string>
#include <vector>

#include "core/campaign.h"
#include "core/series.h"
#include "server/campaigns/gate_evidence.h"
#include "server/campaigns/gate_judgement.h"
#include "server/campaigns/gate_suite.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

// The cells that are judged, those that explain them, and those that cannot be judged. The cells
// borrow from the evidence.
struct GateCells {
  std::vector<GateCell> judged;  // headline metrics, then counters
  std::vector<Series> series;    // parallel to `judged`
  std::vector<UnmeasuredCell> failed;
};

UnmeasuredCell Unmeasured(const SeriesKey& key, bool has_failed, std::string reason);

// What the runs so far have measured. A headline metric that no run of a scenario reports is no
// part of the gate; a counter is where every run reports it.
GateCells CellsOf(const GateSuite& suite, const std::vector<ArmEvidence>& arms,
                  const CampaignEvidence& evidence);

}  // namespace schedlab::server
