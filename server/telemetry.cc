#include "server/telemetry.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>

#include "core/engine_version.h"
#include "server/version.h"

namespace schedlab::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

// gRPC's status codes by number.
constexpr std::array<const char*, 17> kCodeNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

std::string CodeName(int code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kCodeNames.size() ? kCodeNames[index] : "UNKNOWN";
}

const Histogram::BucketBoundaries& LatencyBuckets() {
  static const Histogram::BucketBoundaries kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                       0.25,  0.5,    1,     2.5,  5,     10,   30};
  return kSeconds;
}

const Histogram::BucketBoundaries& QueueWaitBuckets() {
  static const Histogram::BucketBoundaries kSeconds = {
      0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43200};
  return kSeconds;
}

prometheus::Labels LabelsOf(const RpcMethod& method) {
  return {{"grpc_service", std::string(method.service)},
          {"grpc_method", std::string(method.method)}};
}

}  // namespace

struct Telemetry::Families {
  Family<Counter>& AddCounter(const std::string& name, const std::string& help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& AddGauge(const std::string& name, const std::string& help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }

  Counter& Handled(const RpcMethod& method, int code) {
    prometheus::Labels labels = LabelsOf(method);
    labels.emplace("grpc_code", CodeName(code));
    return handled.Add(labels);
  }
  Histogram& Handling(const RpcMethod& method) {
    return handling.Add(LabelsOf(method), LatencyBuckets());
  }

  prometheus::Registry registry;
  Family<Counter>& handled = AddCounter("schedlab_grpc_server_handled_total",
                                        "Calls answered, by method and status code.");
  Family<Histogram>& handling = prometheus::BuildHistogram()
                                    .Name("schedlab_grpc_server_handling_seconds")
                                    .Help("Time to answer a call, waits included.")
                                    .Register(registry);
  Family<Gauge>& runs = AddGauge("schedlab_runs", "Runs that have not ended, by state.");
  Gauge& runs_queued = runs.Add({{"state", "queued"}});
  Gauge& runs_leased = runs.Add({{"state", "leased"}});
  Gauge& oldest_queued =
      AddGauge("schedlab_run_oldest_queued_age_seconds",
               "Age of the run that has waited longest for a worker; 0 where none waits.")
          .Add({});
  Histogram& queue_wait = prometheus::BuildHistogram()
                              .Name("schedlab_run_queue_wait_seconds")
                              .Help("Time that a run was queued before it was leased, by attempt.")
                              .Register(registry)
                              .Add({}, QueueWaitBuckets());
  Counter& leases_delivered =
      AddCounter("schedlab_leases_delivered_total",
                 "Leases that this coordinator handed to workers, repeats included.")
          .Add({});
  Counter& leases_expired =
      AddCounter("schedlab_leases_expired_total",
                 "Leases that this coordinator took back because no worker renewed them.")
          .Add({});
  Family<Counter>& reports =
      AddCounter("schedlab_reports_total", "Reports of attempts, by what was made of them.");
  Counter& reports_accepted = reports.Add({{"disposition", "accepted"}});
  Counter& reports_orphaned = reports.Add({{"disposition", "orphaned"}});
  Family<Gauge>& workers = AddGauge("schedlab_workers", "Workers seen within a day, by state.");
  Gauge& workers_active = workers.Add({{"state", "active"}});
  Gauge& workers_draining = workers.Add({{"state", "draining"}});
  Gauge& workers_lost = workers.Add({{"state", "lost"}});
  Gauge& alerts_open = AddGauge("schedlab_alerts_open", "Alerts that nobody has taken.").Add({});
  Family<Gauge>& alerts = AddGauge("schedlab_alerts", "Alerts that were raised, by state.");
  Counter& jobs_analyzed =
      AddCounter("schedlab_jobs_analyzed_total",
                 "Finished jobs whose results this coordinator searched for change points.")
          .Add({});
  Gauge& campaigns_running =
      AddGauge("schedlab_campaigns_running", "Campaigns, such as gates, that have no answer yet.")
          .Add({});
  Family<Gauge>& aa_evaluations =
      AddGauge("schedlab_aa_evaluations",
               "Finished evaluations of a revision against itself, by what they found.");
  Gauge& aa_quiet = aa_evaluations.Add({{"outcome", "quiet"}});
  Gauge& aa_alarm = aa_evaluations.Add({{"outcome", "alarm"}});
  Counter& campaign_rounds =
      AddCounter("schedlab_campaign_rounds_total",
                 "Rounds of runs that this coordinator asked for on behalf of campaigns.")
          .Add({});
  Family<Gauge>& connections =
      AddGauge("schedlab_database_pool_connections", "Connections to the database, by state.");
  Gauge& connections_in_use = connections.Add({{"state", "in_use"}});
  Gauge& connections_idle = connections.Add({{"state", "idle"}});
  Family<Counter>& database_errors = AddCounter(
      "schedlab_database_errors_total",
      "Calls and sweeps that ended as UNAVAILABLE or INTERNAL: the database, or a stop.");
  Counter& database_unavailable = database_errors.Add({{"code", "UNAVAILABLE"}});
  Gauge& database_up =
      AddGauge("schedlab_database_up",
               "1 where the last check reached the database and its schema is the server's.")
          .Add({});
  Gauge& blocked_calls = AddGauge("schedlab_synchronize_blocked_calls",
                                  "Synchronize calls that wait for something to do.")
                             .Add({});
  Gauge& watch_streams = AddGauge("schedlab_watch_streams", "Open WatchJob streams.").Add({});
  Gauge& campaign_watch_streams =
      AddGauge("schedlab_campaign_watch_streams", "Open WatchCampaign streams.").Add({});
};

Telemetry::Telemetry() : families_(std::make_unique<Families>()) {
  families_->AddGauge("schedlab_build_info", "1; the labels say what is running.")
      .Add({{"version", std::string(kBuildVersion)},
            {"engine_version", std::string(kEngineVersion)}})
      .Set(1);
}

Telemetry::~Telemetry() = default;

void Telemetry::CountCall(const RpcMethod& method, int code, std::chrono::nanoseconds duration) {
  families_->Handled(method, code).Increment();
  families_->Handling(method).Observe(std::chrono::duration<double>(duration).count());
}

void Telemetry::DeclareMethod(const RpcMethod& method) {
  families_->Handled(method, 0);
  families_->Handling(method);
}

void Telemetry::CountReport(ReportDisposition disposition) {
  switch (disposition) {
    case ReportDisposition::kAccepted:
      families_->reports_accepted.Increment();
      return;
    case ReportDisposition::kOrphaned:
      families_->reports_orphaned.Increment();
      return;
  }
}

void Telemetry::CountExpiredLeases(std::int64_t count) {
  families_->leases_expired.Increment(static_cast<double>(count));
}

void Telemetry::CountLeasesDelivered(std::int64_t count) {
  families_->leases_delivered.Increment(static_cast<double>(count));
}

void Telemetry::ObserveQueueWait(std::chrono::microseconds wait) {
  families_->queue_wait.Observe(std::chrono::duration<double>(wait).count());
}

void Telemetry::CountDatabaseError(ErrorCode code) {
  families_->database_errors.Add({{"code", CodeName(static_cast<int>(code))}}).Increment();
}

void Telemetry::CountAnalyzedJob() { families_->jobs_analyzed.Increment(); }

void Telemetry::CountCampaignRound() { families_->campaign_rounds.Increment(); }

void Telemetry::SetQueue(std::int64_t queued_count, std::int64_t leased_count,
                         std::chrono::duration<double> oldest_queued_age) {
  families_->runs_queued.Set(static_cast<double>(queued_count));
  families_->runs_leased.Set(static_cast<double>(leased_count));
  families_->oldest_queued.Set(oldest_queued_age.count());
}

void Telemetry::SetWorkers(WorkerState state, std::int64_t count) {
  const auto value = static_cast<double>(count);
  switch (state) {
    case WorkerState::kActive:
      families_->workers_active.Set(value);
      return;
    case WorkerState::kDraining:
      families_->workers_draining.Set(value);
      return;
    case WorkerState::kLost:
      families_->workers_lost.Set(value);
      return;
  }
}

void Telemetry::SetAlerts(AlertState state, std::int64_t count) {
  const auto value = static_cast<double>(count);
  families_->alerts.Add({{"state", std::string(ToString(state))}}).Set(value);
  if (state == AlertState::kOpen) families_->alerts_open.Set(value);
}

void Telemetry::SetRunningCampaigns(std::int64_t count) {
  families_->campaigns_running.Set(static_cast<double>(count));
}

void Telemetry::SetAaEvaluations(std::int64_t quiet_count, std::int64_t alarm_count) {
  families_->aa_quiet.Set(static_cast<double>(quiet_count));
  families_->aa_alarm.Set(static_cast<double>(alarm_count));
}

void Telemetry::SetPoolUse(const PoolUse& use) {
  families_->connections_in_use.Set(static_cast<double>(use.in_use));
  families_->connections_idle.Set(static_cast<double>(use.idle));
}

void Telemetry::SetDatabaseUp(bool is_up) { families_->database_up.Set(is_up ? 1 : 0); }

void Telemetry::SetBlockedSynchronizeCalls(std::int64_t count) {
  families_->blocked_calls.Set(static_cast<double>(count));
}

void Telemetry::SetWatchStreams(std::int64_t count) {
  families_->watch_streams.Set(static_cast<double>(count));
}

void Telemetry::SetCampaignWatchStreams(std::int64_t count) {
  families_->campaign_watch_streams.Set(static_cast<double>(count));
}

std::string Telemetry::Serialize() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace schedlab::server
