#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/alert.h"
#include "core/lease.h"
#include "core/result.h"
#include "core/worker.h"

namespace schedlab::server {

struct RpcMethod {
  std::string_view service;  // "schedlab.v1.JobService"
  std::string_view method;   // "CreateJob"
};

struct PoolUse {
  std::int64_t in_use = 0;
  std::int64_t idle = 0;
};

// What the coordinator tells Prometheus. Nothing in here asks the database: the telemetry sweeper
// sets the gauges, everything else counts as it happens. Thread-safe.
class Telemetry {
 public:
  Telemetry();
  ~Telemetry();

  // Counts one answered call; `code` is gRPC's.
  void CountCall(const RpcMethod& method, int code, std::chrono::nanoseconds duration);
  // Makes the method's counters exist, so that a rate over them has a start.
  void DeclareMethod(const RpcMethod& method);

  void CountReport(ReportDisposition disposition);
  void CountExpiredLeases(std::int64_t count);
  void CountLeasesDelivered(std::int64_t count);
  // How long a run was queued, at its lease.
  void ObserveQueueWait(std::chrono::microseconds wait);
  void CountDatabaseError(ErrorCode code);
  void CountAnalyzedJob();
  void CountCampaignRound();

  void SetQueue(std::int64_t queued_count, std::int64_t leased_count,
                std::chrono::duration<double> oldest_queued_age);
  void SetWorkers(WorkerState state, std::int64_t count);
  void SetAlerts(AlertState state, std::int64_t count);
  void SetRunningCampaigns(std::int64_t count);
  // Of the A/A evaluations that are stored.
  void SetAaEvaluations(std::int64_t quiet_count, std::int64_t alarm_count);
  void SetPoolUse(const PoolUse& use);
  void SetDatabaseUp(bool is_up);
  void SetBlockedSynchronizeCalls(std::int64_t count);
  void SetWatchStreams(std::int64_t count);
  void SetCampaignWatchStreams(std::int64_t count);

  // Everything in Prometheus' text format.
  std::string Serialize() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace schedlab::server
