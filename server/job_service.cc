#include "server/job_service.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/expansion.h"
#include "core/limits.h"
#include "proto/rpc/jobs.h"
#include "server/job_content.h"
#include "server/page_request.h"
#include "server/watch_stream.h"

namespace schedlab::server {
namespace {

using JobStream = WatchStream<Job, v1::WatchJobResponse>;

void EncodeState(const Job& job, v1::WatchJobResponse& response) {
  *response.mutable_job() = rpc::Encode(job);
}

constexpr RpcMethod MethodOf(std::string_view name) { return {"schedlab.v1.JobService", name}; }

}  // namespace

JobService::JobService(const Catalog& catalog, JobStore& store, WorkPool& pool,
                       Telemetry& telemetry, Listeners listeners)
    : catalog_(catalog),
      store_(store),
      pool_(pool),
      telemetry_(telemetry),
      calls_(pool, telemetry),
      listeners_(listeners) {
  for (const char* name :
       {"CreateJob", "GetJob", "ListJobs", "WatchJob", "CancelJob", "ListRuns"}) {
    telemetry.DeclareMethod(MethodOf(name));
  }
}

Result<CreatedJob> JobService::Create(const v1::CreateJobRequest& request) {
  if (request.request_id().empty() || request.request_id().size() > kMaxNameLength) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("request_id must have 1 to {} characters, has {}", kMaxNameLength,
                            request.request_id().size()));
  }
  Result<JobSpec> spec = rpc::Decode(request.spec());
  if (!spec) return Fail(spec.error());
  Result<ExpandedJob> expanded = Expand(catalog_, *spec);
  if (!expanded) return Fail(expanded.error());
  return store_.CreateJob({.request_id = request.request_id(),
                           .content_digest = ContentDigest(*spec, *expanded),
                           .spec = std::move(*spec),
                           .expanded = std::move(*expanded)});
}

grpc::ServerUnaryReactor* JobService::CreateJob(grpc::CallbackServerContext* context,
                                                const v1::CreateJobRequest* request,
                                                v1::CreateJobResponse* response) {
  return calls_.Run(context, MethodOf("CreateJob"), [this, request, response]() -> Status {
    const Result<CreatedJob> created = Create(*request);
    if (!created) return Fail(created.error());
    *response->mutable_job() = rpc::Encode(created->job);
    response->set_is_new(created->is_new);
    listeners_.sync.Wake();
    // A job whose runs all have results already has ended with this call.
    if (created->job.state != JobState::kRunning) listeners_.analysis.Wake();
    return {};
  });
}

grpc::ServerUnaryReactor* JobService::GetJob(grpc::CallbackServerContext* context,
                                             const v1::GetJobRequest* request,
                                             v1::GetJobResponse* response) {
  return calls_.Run(context, MethodOf("GetJob"), [this, request, response]() -> Status {
    const Result<Job> job = store_.GetJob(JobId{request->job_id()});
    if (!job) return Fail(job.error());
    *response->mutable_job() = rpc::Encode(*job);
    return {};
  });
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context,
                                               const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  return calls_.Run(context, MethodOf("ListJobs"), [this, request, response]() -> Status {
    const Result<PageRequest> page = PageOf(request->page_size(), request->page_token());
    if (!page) return Fail(page.error());
    const Result<Page<Job>> jobs = store_.ListJobs(request->project(), *page);
    if (!jobs) return Fail(jobs.error());
    for (const Job& job : jobs->items) {
      v1::Job& wire = *response->add_jobs();
      wire = rpc::Encode(job);
      // A page of jobs with what may be long would not fit a message.
      for (v1::WorkloadSelection& workload : *wire.mutable_spec()->mutable_workloads()) {
        workload.clear_document();
        workload.clear_hotplug();
        workload.clear_irq_sources();
      }
    }
    response->set_next_page_token(jobs->next_token);
    return {};
  });
}

grpc::ServerWriteReactor<v1::WatchJobResponse>* JobService::WatchJob(
    grpc::CallbackServerContext* /*context*/, const v1::WatchJobRequest* request) {
  const JobId id{request->job_id()};
  return StartWatch(JobStream::Open(MethodOf("WatchJob"), telemetry_, &EncodeState), pool_,
                    listeners_.watch, [this, id] { return store_.GetJob(id); });
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context,
                                                const v1::CancelJobRequest* request,
                                                v1::CancelJobResponse* response) {
  return calls_.Run(context, MethodOf("CancelJob"), [this, request, response]() -> Status {
    const Result<Job> job = store_.CancelJob(JobId{request->job_id()});
    if (!job) return Fail(job.error());
    *response->mutable_job() = rpc::Encode(*job);
    listeners_.sync.WakeRunning();
    listeners_.watch.Wake();
    return {};
  });
}

grpc::ServerUnaryReactor* JobService::ListRuns(grpc::CallbackServerContext* context,
                                               const v1::ListRunsRequest* request,
                                               v1::ListRunsResponse* response) {
  return calls_.Run(context, MethodOf("ListRuns"), [this, request, response]() -> Status {
    const Result<PageRequest> page = PageOf(request->page_size(), request->page_token());
    if (!page) return Fail(page.error());
    const Result<Page<Run>> runs = store_.ListRuns(JobId{request->job_id()}, *page);
    if (!runs) return Fail(runs.error());
    for (const Run& run : runs->items) *response->add_runs() = rpc::Encode(run);
    response->set_next_page_token(runs->next_token);
    return {};
  });
}

}  // namespace schedlab::server
