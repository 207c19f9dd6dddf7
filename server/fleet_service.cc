#include "server/fleet_service.h"

#include "proto/rpc/fleet.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod kListWorkers = {"schedlab.v1.FleetService", "ListWorkers"};

}  // namespace

FleetService::FleetService(JobStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  telemetry.DeclareMethod(kListWorkers);
}

grpc::ServerUnaryReactor* FleetService::ListWorkers(grpc::CallbackServerContext* context,
                                                    const v1::ListWorkersRequest* /*request*/,
                                                    v1::ListWorkersResponse* response) {
  return calls_.Run(context, kListWorkers, [this, response]() -> Status {
    const Result<std::vector<Worker>> workers = store_.ListWorkers();
    if (!workers) return Fail(workers.error());
    for (const Worker& worker : *workers) *response->add_workers() = rpc::Encode(worker);
    return {};
  });
}

}  // namespace schedlab::server
