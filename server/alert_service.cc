#include "server/alert_service.h"

#include "proto/rpc/alerts.h"
#include "server/page_request.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod MethodOf(std::string_view name) { return {"schedlab.v1.AlertService", name}; }

// What a list says of an alert.
Alert Abridged(Alert alert) {
  for (AlertCell& cell : alert.cells) {
    cell.counters.clear();
    cell.previous_run.reset();
    cell.revision_run.reset();
  }
  alert.unchanged.clear();
  return alert;
}

}  // namespace

AlertService::AlertService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  for (const char* name : {"ListAlerts", "GetAlert"}) telemetry.DeclareMethod(MethodOf(name));
}

Result<Page<Alert>> AlertService::List(const v1::ListAlertsRequest& request) {
  const Result<PageRequest> page = PageOf(request.page_size(), request.page_token());
  if (!page) return Fail(page.error());
  if (request.state() == v1::ALERT_STATE_UNSPECIFIED) {
    return store_.ListAlerts(request.project(), std::nullopt, *page);
  }
  const Result<AlertState> state = rpc::Decode(request.state());
  if (!state) return Fail(state.error());
  return store_.ListAlerts(request.project(), *state, *page);
}

grpc::ServerUnaryReactor* AlertService::ListAlerts(grpc::CallbackServerContext* context,
                                                   const v1::ListAlertsRequest* request,
                                                   v1::ListAlertsResponse* response) {
  return calls_.Run(context, MethodOf("ListAlerts"), [this, request, response]() -> Status {
    const Result<Page<Alert>> alerts = List(*request);
    if (!alerts) return Fail(alerts.error());
    for (const Alert& alert : alerts->items) *response->add_alerts() = rpc::Encode(Abridged(alert));
    response->set_next_page_token(alerts->next_token);
    return {};
  });
}

grpc::ServerUnaryReactor* AlertService::GetAlert(grpc::CallbackServerContext* context,
                                                 const v1::GetAlertRequest* request,
                                                 v1::GetAlertResponse* response) {
  return calls_.Run(context, MethodOf("GetAlert"), [this, request, response]() -> Status {
    const Result<Alert> alert = store_.GetAlert(AlertId{request->alert_id()});
    if (!alert) return Fail(alert.error());
    *response->mutable_alert() = rpc::Encode(*alert);
    return {};
  });
}

}  // namespace schedlab::server
