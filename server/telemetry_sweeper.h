#pragma once

#include <string>

#include "core/mutex.h"
#include "core/result.h"
#include "server/store/analysis_store.h"
#include "server/store/campaign_store.h"
#include "server/store/connection_pool.h"
#include "server/store/job_store.h"
#include "server/telemetry.h"

namespace schedlab::server {

// Whether this coordinator can serve, as it was found last. Thread-safe.
class Readiness {
 public:
  // Ready where `reason` is empty, else why not.
  void Set(std::string reason);
  std::string reason() const;

 private:
  mutable Mutex mutex_;
  std::string reason_ SCHEDLAB_GUARDED_BY(mutex_) = "starting";
};

// Asks the database what the gauges show, so that neither a scrape nor a probe has to. To be called
// from one thread.
class TelemetrySweeper {
 public:
  struct Sources {
    ConnectionPool& pool;
    JobStore& jobs;
    AnalysisStore& analysis;
    CampaignStore& campaigns;
  };

  TelemetrySweeper(Sources sources, Telemetry& telemetry, Readiness& readiness)
      : sources_(sources), telemetry_(telemetry), readiness_(readiness) {}

  Status Sweep();

 private:
  Status CheckDatabase();
  Status ReadGauges();
  Status ReadFalseAlarms();

  Sources sources_;
  Telemetry& telemetry_;
  Readiness& readiness_;
};

}  // namespace schedlab::server
