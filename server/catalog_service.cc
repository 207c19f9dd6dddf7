#include "server/catalog_service.h"

#include <algorithm>
#include <vector>

#include "proto/rpc/catalog.h"
#include "proto/rpc/specs.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod MethodOf(std::string_view name) { return {"schedlab.v1.CatalogService", name}; }

// Adds the wire form of every item to `field`, by name.
template <class T, class Field>
void AddByName(const std::vector<T>& items, Field& field) {
  std::vector<const T*> sorted;
  sorted.reserve(items.size());
  for (const T& item : items) sorted.push_back(&item);
  std::sort(sorted.begin(), sorted.end(), [](const T* a, const T* b) { return a->name < b->name; });
  for (const T* item : sorted) *field.Add() = rpc::Encode(*item);
}

}  // namespace

CatalogService::CatalogService(const Catalog& catalog, WorkPool& pool, Telemetry& telemetry)
    : catalog_(catalog), calls_(pool, telemetry) {
  for (const char* name : {"ListTopologies", "ListWorkloads", "ListPolicies", "ListMetrics"}) {
    telemetry.DeclareMethod(MethodOf(name));
  }
}

grpc::ServerUnaryReactor* CatalogService::ListTopologies(
    grpc::CallbackServerContext* context, const v1::ListTopologiesRequest* /*request*/,
    v1::ListTopologiesResponse* response) {
  return calls_.RunInline(context, MethodOf("ListTopologies"), [this, response]() -> Status {
    AddByName(catalog_.topologies, *response->mutable_topologies());
    return {};
  });
}

grpc::ServerUnaryReactor* CatalogService::ListWorkloads(grpc::CallbackServerContext* context,
                                                        const v1::ListWorkloadsRequest* /*request*/,
                                                        v1::ListWorkloadsResponse* response) {
  return calls_.RunInline(context, MethodOf("ListWorkloads"), [this, response]() -> Status {
    AddByName(catalog_.workloads, *response->mutable_workloads());
    return {};
  });
}

grpc::ServerUnaryReactor* CatalogService::ListPolicies(grpc::CallbackServerContext* context,
                                                       const v1::ListPoliciesRequest* /*request*/,
                                                       v1::ListPoliciesResponse* response) {
  return calls_.RunInline(context, MethodOf("ListPolicies"), [this, response]() -> Status {
    AddByName(catalog_.policies, *response->mutable_policies());
    return {};
  });
}

grpc::ServerUnaryReactor* CatalogService::ListMetrics(grpc::CallbackServerContext* context,
                                                      const v1::ListMetricsRequest* /*request*/,
                                                      v1::ListMetricsResponse* response) {
  return calls_.RunInline(context, MethodOf("ListMetrics"), [this, response]() -> Status {
    AddByName(catalog_.metrics, *response->mutable_metrics());
    return {};
  });
}

}  // namespace schedlab::server
