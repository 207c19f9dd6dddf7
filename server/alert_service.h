#pragma once

#include "schedlab/v1/alerts.grpc.pb.h"
#include "server/call_runner.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// schedlab.v1.AlertService. All references must outlive it.
class AlertService final : public v1::AlertService::CallbackService {
 public:
  AlertService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry);

  grpc::ServerUnaryReactor* ListAlerts(grpc::CallbackServerContext* context,
                                       const v1::ListAlertsRequest* request,
                                       v1::ListAlertsResponse* response) override;
  grpc::ServerUnaryReactor* GetAlert(grpc::CallbackServerContext* context,
                                     const v1::GetAlertRequest* request,
                                     v1::GetAlertResponse* response) override;

 private:
  Result<Page<Alert>> List(const v1::ListAlertsRequest& request);

  AnalysisStore& store_;
  CallRunner calls_;
};

}  // namespace schedlab::server
