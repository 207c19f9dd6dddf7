#include "server/series_service.h"

#include <fmt/format.h>

#include <limits>

#include "core/limits.h"
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

Result<CoverageQuery> QueryOf(const v1::GetCoverageRequest& request) {
  CoverageQuery query{.project = request.project(),
                      .policy = request.policy(),
                      .revision = request.revision(),
                      .has_counters = request.has_counters()};
  if (query.project.empty()) return Fail(ErrorCode::kInvalidArgument, "project must not be empty");
  if (query.revision.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "revision must not be empty");
  }
  if (request.neighbour_count() != 0) query.neighbour_count = request.neighbour_count();
  if (query.neighbour_count < 1 || query.neighbour_count > kMaxCoverageNeighbours) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("neighbour_count must be 0 to {}, not {}", kMaxCoverageNeighbours,
                            query.neighbour_count));
  }
  return query;
}

}  // namespace

SeriesService::SeriesService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  for (const char* name : {"ListSeries", "GetSeries", "GetCoverage"})
    telemetry.DeclareMethod(MethodOf(name));
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

Result<std::int64_t> SeriesService::FirstOrdinal(const SeriesKey& key,
                                                 const std::string& since_revision) {
  if (since_revision.empty()) return std::numeric_limits<std::int64_t>::min();
  const Result<RevisionRef> since =
      store_.FindRevision(key.project, key.policy, since_revision, NeedsResults::kNo);
  if (!since) return Fail(since.error());
  return since->ordinal;
}

Status SeriesService::ReadSeries(const v1::GetSeriesRequest& request,
                                 v1::GetSeriesResponse& response) {
  const SeriesId id{request.series_id()};
  const Result<SeriesPoints> series = store_.ReadSeries(id);
  if (!series) return Fail(series.error());
  const Result<std::vector<StoredChangePoint>> changes = store_.ReadChangePoints(id);
  if (!changes) return Fail(changes.error());
  const Result<std::int64_t> first = FirstOrdinal(series->series.key, request.since_revision());
  if (!first) return Fail(first.error());
  *response.mutable_series() = rpc::Encode(series->series);
  for (const Point& point : series->points) {
    if (point.revision.ordinal < *first) continue;
    const Result<SampleSummary> summary = SummaryOf(point.samples);
    if (!summary) return Fail(summary.error());
    *response.add_points() = rpc::Encode(point, *summary);
  }
  for (const StoredChangePoint& change : *changes) {
    if (change.revision.ordinal < *first) continue;
    *response.add_change_points() = rpc::Encode(change);
  }
  return {};
}

grpc::ServerUnaryReactor* SeriesService::GetSeries(grpc::CallbackServerContext* context,
                                                   const v1::GetSeriesRequest* request,
                                                   v1::GetSeriesResponse* response) {
  return calls_.Run(context, MethodOf("GetSeries"),
                    [this, request, response] { return ReadSeries(*request, *response); });
}

grpc::ServerUnaryReactor* SeriesService::GetCoverage(grpc::CallbackServerContext* context,
                                                     const v1::GetCoverageRequest* request,
                                                     v1::GetCoverageResponse* response) {
  return calls_.Run(context, MethodOf("GetCoverage"), [this, request, response]() -> Status {
    const Result<CoverageQuery> query = QueryOf(*request);
    if (!query) return Fail(query.error());
    const Result<Coverage> coverage = store_.ReadCoverage(*query);
    if (!coverage) return Fail(coverage.error());
    *response = rpc::Encode(*coverage);
    return {};
  });
}

}  // namespace schedlab::server
