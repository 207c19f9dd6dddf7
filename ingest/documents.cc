#include "ingest/documents.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/rt_app.h"
#include "ingest/sched_trace.h"

namespace schedlab::ingest {

namespace {

template <class T>
tl::unexpected<Error> RefuseDocument(const WorkloadSpec& workload, std::string_view file,
                                     const Result<T>& refused) {
  const std::string name = file.empty()
                               ? fmt::format("the document of workload '{}'", workload.name)
                               : std::string(file);
  return Fail(refused.error().code, fmt::format("{}: {}", name, refused.error().message));
}

}  // namespace

Result<ParsedDocument> ParseDocument(const WorkloadSpec& workload, std::string_view file) {
  if (workload.name == "rt_app") {
    Result<RtAppFile> read = ParseRtApp(workload.document);
    if (!read) return RefuseDocument(workload, file, read);
    return ParsedDocument{std::move(read->script), std::move(read->ignored)};
  }
  if (workload.name == "replay") {
    Result<WorkloadTrace> trace = ReadWorkloadTrace(workload.document);
    if (!trace) return RefuseDocument(workload, file, trace);
    return ParsedDocument{*std::move(trace), {}};
  }
  return ParsedDocument{};
}

}  // namespace schedlab::ingest
