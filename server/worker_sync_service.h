#pragma once

#include "schedlab/v1/worker_sync.grpc.pb.h"
#include "server/sync_hub.h"
#include "server/telemetry.h"

namespace schedlab::server {

// schedlab.v1.WorkerSyncService. All references must outlive it.
class WorkerSyncService final : public v1::WorkerSyncService::CallbackService {
 public:
  WorkerSyncService(SyncHub& hub, Telemetry& telemetry);

  grpc::ServerUnaryReactor* Synchronize(grpc::CallbackServerContext* context,
                                        const v1::SynchronizeRequest* request,
                                        v1::SynchronizeResponse* response) override;

 private:
  SyncHub& hub_;
  Telemetry& telemetry_;
};

}  // namespace schedlab::server
