#include "ingest/documents.h"

#include <fmt/format.h>

#include <utility>

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

Result<ParsedDocument> ParseDocument(const WorkloadSpec& workload) {
  if (workload.name == "rt_app") {
    Result<RtAppFile> file = ParseRtApp(workload.document);
    if (!file) return RefuseDocument(workload, file);
    return ParsedDocument{std::move(file->script), std::move(file->ignored)};
  }
  if (workload.name == "replay") {
    Result<WorkloadTrace> trace = ReadWorkloadTrace(workload.document);
    if (!trace) return RefuseDocument(workload, trace);
    return ParsedDocument{*std::move(trace), {}};
  }
  return ParsedDocument{};
}

}  // namespace schedlab::ingest
