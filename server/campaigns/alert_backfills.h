#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/alert.h"
#include "core/catalog.h"
#include "core/log.h"
#include "core/result.h"
#include "server/store/analysis_store.h"
#include "server/store/campaign_store.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// Bisects alerts that nobody has bisected: runs are placed inside the interval of commits until one
// is left, which fresh runs of it and its parent then confirm. One for each alert, one at a time in
// a project, whichever coordinator begins it. To be called from one thread.
class AlertBackfills {
 public:
  struct Stores {
    CampaignStore& campaigns;
    AnalysisStore& alerts;
    JobStore& jobs;
  };

  // `run_budget`: of one bisection; 0 = none is ever begun. `on_begun`: one was created.
  AlertBackfills(const Catalog& catalog, Stores stores, Log& log, std::int64_t run_budget,
                 std::function<void()> on_begun);

  // Begins one where an alert waits for it. Fails where the store is away.
  Status BeginOne();

 private:
  Result<NewCampaign> CampaignFor(const Alert& alert);
  Status Refuse(AlertId alert, const Error& error);

  const Catalog& catalog_;
  const Stores stores_;
  Log& log_;
  const std::int64_t run_budget_;
  const std::function<void()> on_begun_;
  std::vector<AlertId> refused_;  // what cannot be bisected is told once
};

}  // namespace schedlab::server
