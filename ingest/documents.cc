#include "ingest/documents.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/rt_app.h"

namespace schedlab::ingest {

Result<ParsedDocument> ParseDocument(const WorkloadSpec& workload) {
  if (workload.name != "rt_app") return ParsedDocument{};
  Result<RtAppFile> file = ParseRtApp(workload.document);
  if (!file) {
    return Fail(file.error().code, fmt::format("the document of workload '{}': {}", workload.name,
                                               file.error().message));
  }
  return ParsedDocument{std::move(file->script), std::move(file->ignored)};
}

}  // namespace schedlab::ingest
