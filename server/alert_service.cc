#include "server/alert_service.h"

#include <fmt/format.h>

#include <utility>

#include "core/limits.h"
#include "proto/rpc/alerts.h"
#include "server/cells_beside.h"
#include "server/explain_change.h"
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

// What an explanation says of one.
Alert HeaderOf(Alert alert) {
  alert.cells.clear();
  alert.unchanged.clear();
  return alert;
}

}  // namespace

AlertService::AlertService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  for (const char* name :
       {"ListAlerts", "GetAlert", "ChangeAlertState", "ExplainChange", "GetAlertPrecision"}) {
    telemetry.DeclareMethod(MethodOf(name));
  }
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

Result<Alert> AlertService::Complete(Alert alert) {
  if (alert.cells.empty()) return alert;
  const Result<std::vector<SeriesPoints>> others = store_.ReadSeriesBeside(alert.id);
  if (!others) return Fail(others.error());
  const auto change_points = store_.ReadChangePoints(CellOfRevision(alert).series.id);
  if (!change_points) return Fail(change_points.error());
  AddCellsBeside(*others, *change_points, alert);
  return alert;
}

grpc::ServerUnaryReactor* AlertService::GetAlert(grpc::CallbackServerContext* context,
                                                 const v1::GetAlertRequest* request,
                                                 v1::GetAlertResponse* response) {
  return calls_.Run(context, MethodOf("GetAlert"), [this, request, response]() -> Status {
    Result<Alert> alert = store_.GetAlert(AlertId{request->alert_id()});
    if (alert) alert = Complete(std::move(*alert));
    if (!alert) return Fail(alert.error());
    *response->mutable_alert() = rpc::Encode(*alert);
    return {};
  });
}

grpc::ServerUnaryReactor* AlertService::ChangeAlertState(grpc::CallbackServerContext* context,
                                                         const v1::ChangeAlertStateRequest* request,
                                                         v1::ChangeAlertStateResponse* response) {
  return calls_.Run(context, MethodOf("ChangeAlertState"), [this, request, response]() -> Status {
    const Result<AlertStateChange> change = rpc::Decode(*request);
    if (!change) return Fail(change.error());
    Result<Alert> alert = store_.ChangeAlertState(*change);
    if (alert) alert = Complete(std::move(*alert));
    if (!alert) return Fail(alert.error());
    *response->mutable_alert() = rpc::Encode(*alert);
    return {};
  });
}

// With the series that were judged together: the false-discovery rate was held over all of them.
Result<ChangeExplanation> AlertService::Explain(const v1::ExplainChangeRequest& request) {
  const SeriesId id{request.series_id()};
  const Result<SeriesPoints> asked = store_.ReadSeries(id);
  if (!asked) return Fail(asked.error());
  const SeriesKey& key = asked->series.key;
  const Result<RevisionRef> revision =
      store_.FindRevision(key.project, key.policy, request.revision(), NeedsResults::kNo);
  if (!revision) return Fail(revision.error());
  const Result<JobId> job = store_.FindAnalysedJob(id);
  if (!job) return Fail(job.error());
  const Result<AnalysisInput> input = store_.ReadSeriesOfJob(*job);
  if (!input) return Fail(input.error());
  Result<ChangeExplanation> explanation = server::ExplainChange(input->series, id, *revision);
  if (!explanation) return explanation;
  Result<std::vector<Alert>> alerts = store_.FindAlertsAround(asked->series, revision->ordinal);
  if (!alerts) return Fail(alerts.error());
  for (Alert& alert : *alerts) explanation->alerts.push_back(HeaderOf(std::move(alert)));
  return explanation;
}

grpc::ServerUnaryReactor* AlertService::ExplainChange(grpc::CallbackServerContext* context,
                                                      const v1::ExplainChangeRequest* request,
                                                      v1::ExplainChangeResponse* response) {
  return calls_.Run(context, MethodOf("ExplainChange"), [this, request, response]() -> Status {
    const Result<ChangeExplanation> explanation = Explain(*request);
    if (!explanation) return Fail(explanation.error());
    *response = rpc::Encode(*explanation);
    return {};
  });
}

grpc::ServerUnaryReactor* AlertService::GetAlertPrecision(
    grpc::CallbackServerContext* context, const v1::GetAlertPrecisionRequest* request,
    v1::GetAlertPrecisionResponse* response) {
  return calls_.Run(context, MethodOf("GetAlertPrecision"), [this, request, response]() -> Status {
    if (request->days() < 0 || request->days() > kMaxDays) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("days must be 0 to {}, is {}", kMaxDays, request->days()));
    }
    const auto projects = store_.ReadPrecision(request->project(), request->days());
    if (!projects) return Fail(projects.error());
    for (const AlertPrecision& one : *projects) *response->add_projects() = rpc::Encode(one);
    return {};
  });
}

}  // namespace schedlab::server
