#pragma once

#include <chrono>
#include <functional>

#include "core/catalog.h"
#include "core/log.h"
#include "core/result.h"
#include "server/store/campaign_store.h"

namespace schedlab::server {

// Begins A/A evaluations where nothing else is to be done: gates that compare the newest measured
// revision with itself under other noise, whose false alarms are counted and published. One in each
// period of `interval`, whichever coordinator begins it. To be called from one thread.
class AaEvaluations {
 public:
  // `on_begun`: a campaign was created. Without an interval none ever is.
  AaEvaluations(const Catalog& catalog, CampaignStore& store, Log& log,
                std::chrono::seconds interval, std::function<void()> on_begun);

  // Begins one where it is time for it. Fails where the store is away.
  Status BeginOne();

 private:
  const Catalog& catalog_;
  CampaignStore& store_;
  Log& log_;
  const std::chrono::seconds interval_;
  const std::function<void()> on_begun_;
  std::int64_t refused_period_ = -1;  // what could not be evaluated is told once
};

}  // namespace schedlab::server
