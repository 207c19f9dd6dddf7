#pragma once

#include "core/comparison.h"
#include "schedlab/v1/comparison.grpc.pb.h"
#include "server/call_runner.h"
#include "server/store/analysis_store.h"

namespace schedlab::server {

// schedlab.v1.ComparisonService. All references must outlive it.
class ComparisonService final : public v1::ComparisonService::CallbackService {
 public:
  ComparisonService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry);

  grpc::ServerUnaryReactor* CompareRevisions(grpc::CallbackServerContext* context,
                                             const v1::CompareRevisionsRequest* request,
                                             v1::CompareRevisionsResponse* response) override;

 private:
  Result<RevisionComparison> Compare(const v1::CompareRevisionsRequest& request);

  AnalysisStore& store_;
  CallRunner calls_;
};

}  // namespace schedlab::server
