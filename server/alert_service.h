#pragma once

#include "core/change_explanation.h"
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
  grpc::ServerUnaryReactor* ChangeAlertState(grpc::CallbackServerContext* context,
                                             const v1::ChangeAlertStateRequest* request,
                                             v1::ChangeAlertStateResponse* response) override;
  grpc::ServerUnaryReactor* ExplainChange(grpc::CallbackServerContext* context,
                                          const v1::ExplainChangeRequest* request,
                                          v1::ExplainChangeResponse* response) override;
  grpc::ServerUnaryReactor* GetAlertPrecision(grpc::CallbackServerContext* context,
                                              const v1::GetAlertPrecisionRequest* request,
                                              v1::GetAlertPrecisionResponse* response) override;

 private:
  Result<ChangeExplanation> Explain(const v1::ExplainChangeRequest& request);
  Result<Page<Alert>> List(const v1::ListAlertsRequest& request);
  // With what has been measured beside its cells.
  Result<Alert> Complete(Alert alert);

  AnalysisStore& store_;
  CallRunner calls_;
};

}  // namespace schedlab::server
