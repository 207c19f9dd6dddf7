#pragma once

#include "core/catalog.h"
#include "schedlab/v1/jobs.grpc.pb.h"
#include "server/call_runner.h"
#include "server/loop.h"
#include "server/store/job_store.h"
#include "server/sync_hub.h"
#include "server/watch_hub.h"

namespace schedlab::server {

// schedlab.v1.JobService. All references must outlive it.
class JobService final : public v1::JobService::CallbackService {
 public:
  // Who wants to hear of what a call did.
  struct Listeners {
    SyncHub& sync;
    WatchHub& watch;
    Loop& analysis;
  };

  JobService(const Catalog& catalog, JobStore& store, WorkPool& pool, Telemetry& telemetry,
             Listeners listeners);

  grpc::ServerUnaryReactor* CreateJob(grpc::CallbackServerContext* context,
                                      const v1::CreateJobRequest* request,
                                      v1::CreateJobResponse* response) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const v1::GetJobRequest* request,
                                   v1::GetJobResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJob(
      grpc::CallbackServerContext* context, const v1::WatchJobRequest* request) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const v1::CancelJobRequest* request,
                                      v1::CancelJobResponse* response) override;
  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const v1::ListRunsRequest* request,
                                     v1::ListRunsResponse* response) override;

 private:
  Result<CreatedJob> Create(const v1::CreateJobRequest& request);

  const Catalog& catalog_;
  JobStore& store_;
  WorkPool& pool_;
  Telemetry& telemetry_;
  CallRunner calls_;
  Listeners listeners_;
};

}  // namespace schedlab::server
