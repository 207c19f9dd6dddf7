#include "server/series_service.h"

#include "proto/rpc/results.h"
#include "server/page_request.h"
#include "server/summaries.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod MethodOf(std::string_view name) { return {"schedlab.v1.SeriesService", name}; }

SeriesFilter FilterOf(const v1::ListSeriesRequest& request) {
  return {.project = request.project(),
          .policy = request.policy(),
          .variant = std::nullopt,
          .metric = request.metric(),
          .topology = request.topology(),
          .workload = request.workload(),
          .headline_only = request.headline_only()};
}

}  // namespace

SeriesService::SeriesService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  for (const char* name : {"ListSeries", "GetSeries"}) telemetry.DeclareMethod(MethodOf(name));
}

grpc::ServerUnaryReactor* SeriesService::ListSeries(grpc::CallbackServerContext* context,
                                                    const v1::ListSeriesRequest* request,
                                                    v1::ListSeriesResponse* response) {
  return calls_.Run(context, MethodOf("ListSeries"), [this, request, response]() -> Status {
    const Result<PageRequest> page = PageOf(request->page_size(), request->page_token());
    if (!page) return Fail(page.error());
    const Result<Page<Series>> found = store_.ListSeries(FilterOf(*request), *page);
    if (!found) return Fail(found.error());
    for (const Series& series : found->items) *response->add_series() = rpc::Encode(series);
    response->set_next_page_token(found->next_token);
    return {};
  });
}

grpc::ServerUnaryReactor* SeriesService::GetSeries(grpc::CallbackServerContext* context,
                                                   const v1::GetSeriesRequest* request,
                                                   v1::GetSeriesResponse* response) {
  return calls_.Run(context, MethodOf("GetSeries"), [this, request, response]() -> Status {
    const SeriesId id{request->series_id()};
    const Result<SeriesPoints> series = store_.ReadSeries(id);
    if (!series) return Fail(series.error());
    const Result<std::vector<StoredChangePoint>> changes = store_.ReadChangePoints(id);
    if (!changes) return Fail(changes.error());
    *response->mutable_series() = rpc::Encode(series->series);
    for (const Point& point : series->points) {
      const Result<SampleSummary> summary = SummaryOf(point.samples);
      if (!summary) return Fail(summary.error());
      *response->add_points() = rpc::Encode(point, *summary);
    }
    for (const StoredChangePoint& change : *changes) {
      *response->add_change_points() = rpc::Encode(change);
    }
    return {};
  });
}

}  // namespace schedlab::server
