#include "ingest/documents.h"

#include <fmt/format.h>

#include "ingest/rt_app.h"
#include "ingest/sched_trace.h"

namespace schedlab::ingest {

namespace {

template <class T>
tl::unexpected<Error> RefuseDocument(const WorkloadSpec& workload, const Result<T>& refused) {
  return Fail(refused.error().code, fmt::format("the document of workload '{}': {}", workload.name,
                                                refused.error().message));
}

}  // namespace

Result<WorkloadDocument> ParseDocument(const WorkloadSpec& workload) {
  if (workload.name == "rt_app") {
    Result<RtAppFile> file = ParseRtApp(workload.document);
    if (!file) return RefuseDocument(workload, file);
    return WorkloadDocument(std::move(file->script));
  }
  if (workload.name == "replay") {
    Result<WorkloadTrace> trace = ReadWorkloadTrace(workload.document);
    if (!trace) return RefuseDocument(workload, trace);
    return WorkloadDocument(*std::move(trace));
  }
  return WorkloadDocument();
}

}  // namespace schedlab::ingest
