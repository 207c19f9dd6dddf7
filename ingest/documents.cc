#include "ingest/documents.h"

#include <fmt/format.h>

#include "ingest/rt_app.h"

namespace schedlab::ingest {

Result<WorkloadDocument> ParseDocument(const WorkloadSpec& workload) {
  if (workload.name != "rt_app") return WorkloadDocument();
  Result<RtAppFile> file = ParseRtApp(workload.document);
  if (!file) {
    return Fail(file.error().code, fmt::format("the document of workload '{}': {}", workload.name,
                                               file.error().message));
  }
  return WorkloadDocument(std::move(file->script));
}

}  // namespace schedlab::ingest
