#pragma once

#include "schedlab/v1/fleet.grpc.pb.h"
#include "server/call_runner.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// schedlab.v1.FleetService. All references must outlive it.
class FleetService final : public v1::FleetService::CallbackService {
 public:
  FleetService(JobStore& store, WorkPool& pool, Telemetry& telemetry);

  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const v1::ListWorkersRequest* request,
                                        v1::ListWorkersResponse* response) override;

 private:
  JobStore& store_;
  CallRunner calls_;
};

}  // namespace schedlab::server
