#include "server/watch_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

namespace schedlab::server {
namespace {

constexpr std::size_t kMaxWatches = 4096;
constexpr std::chrono::milliseconds kPollInterval{250};
constexpr std::chrono::milliseconds kMinimumGap{50};

Error ShuttingDown() {
  return {ErrorCode::kUnavailable, "the coordinator is shutting down; watch the job again"};
}

Error TooManyWatches() {
  return {ErrorCode::kResourceExhausted,
          fmt::format("{} jobs are watched already; try again later", kMaxWatches)};
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
    : store_(store),
      telemetry_(telemetry),
      loop_({.component = "watch_hub", .interval = kPollInterval, .minimum_gap = kMinimumGap}, log,
            telemetry, [this](const std::stop_token&) { return Poll(); }) {}

void WatchHub::Add(std::shared_ptr<JobWatcher> watcher, const Job& job) {
  if (IsSettled(job)) {
    watcher->Show(job, true);
    return;
  }
  // Before it is registered, so that no later state can overtake the first.
  watcher->Show(job, false);
  Error refusal;
  {
    const MutexLock lock(mutex_);
    if (!is_draining_ && watches_.size() < kMaxWatches) {
      watches_.push_back({std::move(watcher), job});
      return;
    }
    refusal = is_draining_ ? ShuttingDown() : TooManyWatches();
  }
  watcher->End(refusal);
}

void WatchHub::Drain() {
  std::vector<Watch> ended;
  {
    const MutexLock lock(mutex_);
    is_draining_ = true;
    ended.swap(watches_);
  }
  for (const Watch& watch : ended) watch.watcher->End(ShuttingDown());
}

std::vector<JobId> WatchHub::WatchedJobs() {
  const MutexLock lock(mutex_);
  const auto gone = std::remove_if(watches_.begin(), watches_.end(), [](const Watch& watch) {
    return !watch.watcher->is_listening();
  });
  watches_.erase(gone, watches_.end());
  telemetry_.SetWatchStreams(static_cast<std::int64_t>(watches_.size()));
  std::set<JobId> ids;
  for (const Watch& watch : watches_) ids.insert(watch.shown.id);
  return {ids.begin(), ids.end()};
}

Status WatchHub::Poll() {
  const std::vector<JobId> ids = WatchedJobs();
  if (ids.empty()) return {};
  Result<std::vector<Job>> jobs = store_.GetJobs(ids);
  if (!jobs) return Fail(jobs.error());
  std::map<JobId, Job> by_id;
  for (Job& job : *jobs) by_id.emplace(job.id, std::move(job));
  ShowChanges(by_id);
  return {};
}

void WatchHub::ShowChanges(const std::map<JobId, Job>& jobs) {
  std::vector<Watch> changed;
  {
    const MutexLock lock(mutex_);
    for (Watch& watch : watches_) {
      const auto found = jobs.find(watch.shown.id);
      if (found == jobs.end() || found->second == watch.shown) continue;
      watch.shown = found->second;
      changed.push_back(watch);
    }
    const auto settled = std::remove_if(watches_.begin(), watches_.end(),
                                        [](const Watch& watch) { return IsSettled(watch.shown); });
    watches_.erase(settled, watches_.end());
  }
  for (const Watch& watch : changed) watch.watcher->Show(watch.shown, IsSettled(watch.shown));
}

}  // namespace schedlab::server
