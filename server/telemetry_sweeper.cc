#include "server/telemetry_sweeper.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/store/schema.h"

namespace schedlab::server {

void Readiness::Set(std::string reason) {
  const MutexLock lock(mutex_);
  reason_ = std::move(reason);
}

std::string Readiness::reason() const {
  const MutexLock lock(mutex_);
  return reason_;
}

Status TelemetrySweeper::Sweep() {
  Status checked = CheckDatabase();
  const PoolStatistics pool = sources_.pool.Statistics();
  telemetry_.SetPoolUse({.in_use = pool.in_use_count, .idle = pool.idle_count});
  if (!checked) return checked;
  return ReadGauges();
}

Status TelemetrySweeper::CheckDatabase() {
  Status checked = CheckSchema(sources_.pool);
  telemetry_.SetDatabaseUp(checked.has_value());
  readiness_.Set(checked ? "" : checked.error().message);
  return checked;
}

Status TelemetrySweeper::ReadGauges() {
  const Result<QueueSnapshot> queue = sources_.jobs.ReadQueue();
  if (!queue) return Fail(queue.error());
  telemetry_.SetQueue(queue->queued_count, queue->leased_count,
                      std::chrono::duration<double>(queue->oldest_queued_age_seconds));
  const Result<std::vector<Worker>> workers = sources_.jobs.ListWorkers();
  if (!workers) return Fail(workers.error());
  std::map<WorkerState, std::int64_t> counts = {
      {WorkerState::kActive, 0}, {WorkerState::kDraining, 0}, {WorkerState::kLost, 0}};
  for (const Worker& worker : *workers) ++counts[worker.state];
  for (const auto& [state, count] : counts) telemetry_.SetWorkers(state, count);
  const auto alerts = sources_.analysis.CountAlerts();
  if (!alerts) return Fail(alerts.error());
  for (const auto& [state, count] : *alerts) telemetry_.SetAlerts(state, count);
  const Result<std::int64_t> campaigns = sources_.campaigns.CountRunning();
  if (!campaigns) return Fail(campaigns.error());
  telemetry_.SetRunningCampaigns(*campaigns);
  return ReadFalseAlarms();
}

Status TelemetrySweeper::ReadFalseAlarms() {
  const Result<std::vector<FalseAlarms>> projects = sources_.campaigns.CountFalseAlarms("", 0);
  if (!projects) return Fail(projects.error());
  std::int64_t evaluation_count = 0;
  std::int64_t alarm_count = 0;
  for (const FalseAlarms& one : *projects) {
    evaluation_count += one.evaluation_count;
    alarm_count += one.alarm_count;
  }
  telemetry_.SetAaEvaluations(evaluation_count - alarm_count, alarm_count);
  return {};
}

}  // namespace schedlab::server
