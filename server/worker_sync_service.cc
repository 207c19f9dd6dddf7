#include "server/worker_sync_service.h"

#include <utility>

#include "proto/rpc/worker_sync.h"
#include "server/call_runner.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod kSynchronize = {"schedlab.v1.WorkerSyncService", "Synchronize"};

}  // namespace

WorkerSyncService::WorkerSyncService(SyncHub& hub, Telemetry& telemetry)
    : hub_(hub), telemetry_(telemetry) {
  telemetry.DeclareMethod(kSynchronize);
}

grpc::ServerUnaryReactor* WorkerSyncService::Synchronize(grpc::CallbackServerContext* context,
                                                         const v1::SynchronizeRequest* request,
                                                         v1::SynchronizeResponse* response) {
  const PendingCall call(context, kSynchronize, telemetry_);
  Result<SynchronizeRequest> decoded = rpc::Decode(*request);
  if (!decoded) {
    call.Finish(Fail(decoded.error()));
    return call.reactor();
  }
  hub_.Take({.request = std::move(*decoded),
             .is_cancelled = [call] { return call.is_cancelled(); },
             .answer =
                 [call, response](const Result<SynchronizeResponse>& answer) {
                   if (!answer) {
                     call.Finish(Fail(answer.error()));
                     return;
                   }
                   *response = rpc::Encode(*answer);
                   call.Finish({});
                 }});
  return call.reactor();
}

}  // namespace schedlab::server
