#include "server/coordinator.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <utility>
#include <vector>

#include "proto/rpc/channel.h"
#include "server/store/schema.h"
#include "server/version.h"

namespace schedlab::server {
namespace {

using std::chrono::milliseconds;

// The loops of Parts, each of which uses one connection at a time: with a connection for each of
// them besides those of the calls, no sweep ever waits for a call, nor a call for a sweep.
constexpr std::int32_t kLoopCount = 9;
constexpr std::size_t kQueuedCallsPerThread = 256;
constexpr int kMaxConcurrentStreams = 4096;

constexpr milliseconds kAnalysisInterval{1000};
constexpr milliseconds kAnalysisGap{100};
constexpr milliseconds kCampaignInterval{1000};
constexpr milliseconds kCampaignGap{100};
constexpr milliseconds kAaInterval{10'000};
constexpr milliseconds kBackfillInterval{2'000};
constexpr milliseconds kLeaseSweepInterval{1000};
constexpr milliseconds kTelemetryInterval{2000};
constexpr std::chrono::seconds kStopGrace{3};

PoolOptions PoolOptionsOf(const ServerConfig& config) {
  PoolOptions options;
  options.connection_string = config.database;
  options.connection_count = config.pool_size + kLoopCount;
  return options;
}

WorkPool::Size WorkPoolSizeOf(const ServerConfig& config) {
  return {.thread_count = config.pool_size,
          .queue_limit = kQueuedCallsPerThread * static_cast<std::size_t>(config.pool_size)};
}

}  // namespace

// The parts that talk to the database on their own, and the services.
struct Coordinator::Parts {
  explicit Parts(Coordinator& owner)
      : watch_hub(owner.job_store_, owner.log_, owner.telemetry_),
        analyzer(owner.analysis_store_, owner.log_, owner.telemetry_, [this] { watch_hub.Wake(); }),
        analysis_loop(
            {.component = "analyzer", .interval = kAnalysisInterval, .minimum_gap = kAnalysisGap},
            owner.log_, owner.telemetry_,
            [this](const std::stop_token& stop) { return analyzer.AnalyzeFinishedJobs(stop); }),
        sync_hub(owner.job_store_, owner.pool_, owner.log_, owner.telemetry_,
                 {.lease_ttl = owner.config_.lease_ttl,
                  .on_reports =
                      [this] {
                        watch_hub.Wake();
                        analysis_loop.Wake();
                        campaign_steps.Wake();
                      }}),
        lease_sweeper(owner.job_store_, owner.log_, owner.telemetry_,
                      {.lease_ttl = owner.config_.lease_ttl,
                       .on_swept =
                           [this] {
                             sync_hub.Wake();
                             watch_hub.Wake();
                           }}),
        lease_loop({.component = "lease_sweeper",
                    .interval = kLeaseSweepInterval,
                    .minimum_gap = milliseconds{0}},
                   owner.log_, owner.telemetry_,
                   [this](const std::stop_token&) {
                     return lease_sweeper.Sweep(std::chrono::steady_clock::now());
                   }),
        campaign_watch_hub(owner.campaign_store_, owner.log_, owner.telemetry_),
        campaign_loop(owner.catalog_, owner.campaign_store_, owner.log_, owner.telemetry_,
                      [this] {
                        sync_hub.Wake();
                        watch_hub.Wake();
                        campaign_watch_hub.Wake();
                        // A job whose runs all have results already has ended with its creation.
                        analysis_loop.Wake();
                      }),
        campaign_steps(
            {.component = "campaigns", .interval = kCampaignInterval, .minimum_gap = kCampaignGap},
            owner.log_, owner.telemetry_,
            [this](const std::stop_token& stop) { return campaign_loop.AdvanceCampaigns(stop); }),
        aa_evaluations(owner.catalog_, owner.campaign_store_, owner.log_, owner.config_.aa_interval,
                       [this] { campaign_steps.Wake(); }),
        aa_loop({.component = "aa_evaluations",
                 .interval = kAaInterval,
                 .minimum_gap = milliseconds{0}},
                owner.log_, owner.telemetry_,
                [this](const std::stop_token&) { return aa_evaluations.BeginOne(); }),
        alert_backfills(owner.catalog_,
                        {owner.campaign_store_, owner.analysis_store_, owner.job_store_},
                        owner.log_, owner.config_.backfill_runs, [this] { campaign_steps.Wake(); }),
        backfill_loop({.component = "alert_backfills",
                       .interval = kBackfillInterval,
                       .minimum_gap = milliseconds{0}},
                      owner.log_, owner.telemetry_,
                      [this](const std::stop_token&) { return alert_backfills.BeginOne(); }),
        telemetry_sweeper(
            {owner.connections_, owner.job_store_, owner.analysis_store_, owner.campaign_store_},
            owner.telemetry_, owner.readiness_),
        telemetry_loop({.component = "telemetry_sweeper",
                        .interval = kTelemetryInterval,
                        .minimum_gap = milliseconds{0}},
                       owner.log_, owner.telemetry_,
                       [this](const std::stop_token&) { return telemetry_sweeper.Sweep(); }),
        jobs(owner.catalog_, owner.job_store_, owner.pool_, owner.telemetry_,
             {sync_hub, watch_hub, analysis_loop}),
        campaigns(owner.catalog_, owner.campaign_store_, owner.pool_, owner.telemetry_,
                  {sync_hub, watch_hub, campaign_watch_hub, campaign_steps}),
        worker_sync(sync_hub, owner.telemetry_),
        series(owner.analysis_store_, owner.pool_, owner.telemetry_),
        comparisons(owner.analysis_store_, owner.pool_, owner.telemetry_),
        alerts(owner.analysis_store_, owner.pool_, owner.telemetry_),
        catalog(owner.catalog_, owner.pool_, owner.telemetry_),
        fleet(owner.job_store_, owner.pool_, owner.telemetry_) {}

  std::vector<grpc::Service*> services() {
    return {&jobs, &campaigns, &worker_sync, &series, &comparisons, &alerts, &catalog, &fleet};
  }

  WatchHub watch_hub;
  Analyzer analyzer;
  Loop analysis_loop;
  SyncHub sync_hub;
  LeaseSweeper lease_sweeper;
  Loop lease_loop;
  CampaignWatchHub campaign_watch_hub;
  CampaignLoop campaign_loop;
  Loop campaign_steps;
  AaEvaluations aa_evaluations;
  Loop aa_loop;
  AlertBackfills alert_backfills;
  Loop backfill_loop;
  TelemetrySweeper telemetry_sweeper;
  Loop telemetry_loop;
  JobService jobs;
  CampaignService campaigns;
  WorkerSyncService worker_sync;
  SeriesService series;
  ComparisonService comparisons;
  AlertService alerts;
  CatalogService catalog;
  FleetService fleet;
};

Coordinator::Coordinator(const ServerConfig& config, Catalog catalog, Log& log)
    : config_(config),
      catalog_(std::move(catalog)),
      log_(log),
      connections_(PoolOptionsOf(config)),
      job_store_(connections_, config.lease_ttl),
      analysis_store_(connections_),
      campaign_store_(connections_),
      pool_(WorkPoolSizeOf(config)) {}

Coordinator::~Coordinator() { Stop(); }

Status Coordinator::Start() {
  if (Status prepared = PrepareDatabase(); !prepared) return prepared;
  parts_ = std::make_unique<Parts>(*this);
  if (Status listening = ListenHttp(); !listening) return listening;
  return ListenGrpc();
}

Status Coordinator::PrepareDatabase() {
  if (!config_.should_migrate) return CheckSchema(connections_);
  MigrationOptions options;
  options.tool_version = fmt::format("schedlab-server {}", kBuildVersion);
  const Result<std::vector<std::string>> applied = Migrate(connections_, options);
  if (!applied) return Fail(applied.error());
  for (const std::string& file : *applied) log_.Info({"schema", "migrated"}, {{"file", file}});
  return {};
}

Status Coordinator::ListenGrpc() {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  rpc::AcceptChannels(builder);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams);
  // Otherwise two servers could share a port unknowingly, and clients would see both in turn.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int port = 0;
  builder.AddListeningPort(ToString(config_.grpc_address), grpc::InsecureServerCredentials(),
                           &port);
  for (grpc::Service* service : parts_->services()) builder.RegisterService(service);
  grpc_server_ = builder.BuildAndStart();
  if (grpc_server_ == nullptr || port == 0) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot listen on {} for gRPC; stop the process that uses it, or "
                            "choose another with --grpc-address (port 0 = any free one)",
                            ToString(config_.grpc_address)));
  }
  grpc_address_ = {config_.grpc_address.host, static_cast<std::uint16_t>(port)};
  return {};
}

Status Coordinator::ListenHttp() {
  Result<std::unique_ptr<HttpServer>> server = HttpServer::Start(
      config_.http_address, [this](std::string_view path) { return AnswerHttp(path); });
  if (!server) return Fail(server.error());
  http_server_ = std::move(*server);
  return {};
}

HttpAnswer Coordinator::AnswerHttp(std::string_view path) const {
  if (path == "/metrics") {
    return {.status = 200,
            .content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = telemetry_.Serialize()};
  }
  if (path == "/healthz") return {.status = 200, .body = "ok\n"};
  if (path == "/readyz") {
    const std::string reason = is_stopping_ ? "shutting down" : readiness_.reason();
    if (reason.empty()) return {.status = 200, .body = "ready\n"};
    return {.status = 503, .body = fmt::format("not ready: {}\n", reason)};
  }
  return {.status = 404, .body = "not found; there are /metrics, /healthz and /readyz\n"};
}

void Coordinator::Stop() {
  if (is_stopping_.exchange(true)) return;
  if (grpc_server_ != nullptr) {
    // Health first: who asks before sending work stays away before connections are refused.
    grpc_server_->GetHealthCheckService()->SetServingStatus(false);
    parts_->sync_hub.Drain();
    parts_->watch_hub.Drain();
    parts_->campaign_watch_hub.Drain();
    grpc_server_->Shutdown(std::chrono::system_clock::now() + kStopGrace);
    grpc_server_->Wait();
  }
  // Work may outlive its call by a moment, and uses the parts.
  pool_.Finish();
  http_server_.reset();
}

}  // namespace schedlab::server
