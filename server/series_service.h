#pragma once

#include "schedlab/v1/results.grpc.pb.h"
#include "server/call_runner.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// schedlab.v1.SeriesService. All references must outlive it.
class SeriesService final : public v1::SeriesService::CallbackService {
 public:
  SeriesService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry);

  grpc::ServerUnaryReactor* ListSeries(grpc::CallbackServerContext* context,
                                       const v1::ListSeriesRequest* request,
                                       v1::ListSeriesResponse* response) override;
  grpc::ServerUnaryReactor* GetSeries(grpc::CallbackServerContext* context,
                                      const v1::GetSeriesRequest* request,
                                      v1::GetSeriesResponse* response) override;
  grpc::ServerUnaryReactor* GetCoverage(grpc::CallbackServerContext* context,
                                        const v1::GetCoverageRequest* request,
                                        v1::GetCoverageResponse* response) override;

 private:
  // Where the points begin that are asked for.
  Result<std::int64_t> FirstOrdinal(const SeriesKey& key, const std::string& since_revision);
  Status ReadSeries(const v1::GetSeriesRequest& request, v1::GetSeriesResponse& response);

  AnalysisStore& store_;
  CallRunner calls_;
};

}  // namespace schedlab::server
