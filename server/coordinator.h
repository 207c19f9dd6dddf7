#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>

#include "core/catalog.h"
#include "core/log.h"
#include "core/result.h"
#include "server/alert_service.h"
#include "server/analyzer.h"
#include "server/campaign_service.h"
#include "server/campaigns/aa_evaluations.h"
#include "server/campaigns/alert_backfills.h"
#include "server/campaigns/campaign_loop.h"
#include "server/catalog_service.h"
#include "server/comparison_service.h"
#include "server/config.h"
#include "server/fleet_service.h"
#include "server/http_server.h"
#include "server/job_service.h"
#include "server/lease_sweeper.h"
#include "server/loop.h"
#include "server/series_service.h"
#include "server/store/analysis_store.h"
#include "server/store/campaign_store.h"
#include "server/store/connection_pool.h"
#include "server/store/postgres_job_store.h"
#include "server/sync_hub.h"
#include "server/telemetry.h"
#include "server/telemetry_sweeper.h"
#include "server/watch_hub.h"
#include "server/work_pool.h"
#include "server/worker_sync_service.h"

namespace schedlab::server {

// A whole coordinator over one database. It holds nothing that could not be lost.
class Coordinator {
 public:
  // `log` must outlive the coordinator.
  Coordinator(const ServerConfig& config, Catalog catalog, Log& log);
  // Stops first where Stop() was not called.
  ~Coordinator();

  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Brings the schema up to date, or checks it, and begins to serve. To be called once. An error
  // says what to do; the coordinator must then be destroyed.
  Status Start();

  // Says that it is going, answers those who wait, finishes what is under way, and stops serving.
  void Stop();

  // Requires: Start() has succeeded.
  const Address& grpc_address() const { return grpc_address_; }
  Address http_address() const { return http_server_->bound_address(); }

 private:
  Status PrepareDatabase();
  Status ListenGrpc();
  Status ListenHttp();
  HttpAnswer AnswerHttp(std::string_view path) const;

  const ServerConfig config_;
  const Catalog catalog_;
  Log& log_;
  Telemetry telemetry_;
  Readiness readiness_;
  std::atomic<bool> is_stopping_ = false;

  ConnectionPool connections_;
  PostgresJobStore job_store_;
  AnalysisStore analysis_store_;
  CampaignStore campaign_store_;
  WorkPool pool_;

  // Everything below is made by Start(), once the schema is right, and in order of dependency.
  struct Parts;
  std::unique_ptr<Parts> parts_;
  Address grpc_address_;
  std::unique_ptr<HttpServer> http_server_;
  std::unique_ptr<grpc::Server> grpc_server_;
};

}  // namespace schedlab::server
