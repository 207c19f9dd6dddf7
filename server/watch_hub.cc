#include "server/watch_hub.h"

#include <chrono>

namespace schedlab::server {
namespace {

// A campaign's row is long, and changes once a round.
constexpr std::chrono::milliseconds kCampaignInterval{500};

ItemWatchHub<Job>::Options OptionsOf(JobStore& store, Telemetry& telemetry) {
  ItemWatchHub<Job>::Options options;
  options.noun = "job";
  options.component = "watch_hub";
  options.read = [&store](std::span<const JobId> ids) { return store.GetJobs(ids); };
  options.is_settled = &IsSettled;
  options.on_count = [&telemetry](std::int64_t count) { telemetry.SetWatchStreams(count); };
  return options;
}

ItemWatchHub<Campaign>::Options OptionsOf(CampaignStore& store, Telemetry& telemetry) {
  ItemWatchHub<Campaign>::Options options;
  options.noun = "campaign";
  options.component = "campaign_watch_hub";
  options.interval = kCampaignInterval;
  options.read = [&store](std::span<const CampaignId> ids) { return store.GetCampaigns(ids); };
  options.is_settled = [](const Campaign& campaign) {
    return campaign.state != CampaignState::kRunning;
  };
  options.on_count = [&telemetry](std::int64_t count) { telemetry.SetCampaignWatchStreams(count); };
  return options;
}

}  // namespace

bool IsSettled(const Job& job) {
  switch (job.state) {
    case JobState::kRunning:
      return false;
    case JobState::kSucceeded:
    case JobState::kFailed:
      return job.is_analyzed;
    case JobState::kCancelled:
      return true;
  }
  return false;
}

WatchHub::WatchHub(JobStore& store, Log& log, Telemetry& telemetry)
    : ItemWatchHub(OptionsOf(store, telemetry), log, telemetry) {}

CampaignWatchHub::CampaignWatchHub(CampaignStore& store, Log& log, Telemetry& telemetry)
    : ItemWatchHub(OptionsOf(store, telemetry), log, telemetry) {}

}  // namespace schedlab::server
