#pragma once

#include "core/campaign.h"
#include "core/job.h"
#include "server/item_watch_hub.h"
#include "server/store/campaign_store.h"
#include "server/store/job_store.h"

namespace schedlab::server {

using JobWatcher = Watcher<Job>;
using CampaignWatcher = Watcher<Campaign>;

// Whether nothing about the job changes any more: it has ended and its results are analysed, or it
// was cancelled.
bool IsSettled(const Job& job);

class WatchHub final : public ItemWatchHub<Job> {
 public:
  WatchHub(JobStore& store, Log& log, Telemetry& telemetry);
};

class CampaignWatchHub final : public ItemWatchHub<Campaign> {
 public:
  CampaignWatchHub(CampaignStore& store, Log& log, Telemetry& telemetry);
};

}  // namespace schedlab::server
