#pragma once

#include "core/catalog.h"
#include "schedlab/v1/catalog.grpc.pb.h"
#include "server/call_runner.h"

namespace schedlab::server {

// schedlab.v1.CatalogService, from memory. All references must outlive it.
class CatalogService final : public v1::CatalogService::CallbackService {
 public:
  CatalogService(const Catalog& catalog, WorkPool& pool, Telemetry& telemetry);

  grpc::ServerUnaryReactor* ListTopologies(grpc::CallbackServerContext* context,
                                           const v1::ListTopologiesRequest* request,
                                           v1::ListTopologiesResponse* response) override;
  grpc::ServerUnaryReactor* ListWorkloads(grpc::CallbackServerContext* context,
                                          const v1::ListWorkloadsRequest* request,
                                          v1::ListWorkloadsResponse* response) override;
  grpc::ServerUnaryReactor* ListPolicies(grpc::CallbackServerContext* context,
                                         const v1::ListPoliciesRequest* request,
                                         v1::ListPoliciesResponse* response) override;
  grpc::ServerUnaryReactor* ListMetrics(grpc::CallbackServerContext* context,
                                        const v1::ListMetricsRequest* request,
                                        v1::ListMetricsResponse* response) override;

 private:
  const Catalog& catalog_;
  CallRunner calls_;
};

}  // namespace schedlab::server
