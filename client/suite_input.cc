#include "client/suite_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "client/text_file.h"
#include "client/workload_file.h"
#include "core/limits.h"
#include "core/suite.h"

namespace schedlab::client {
namespace {

using PathsByText = std::map<std::string, std::string>;

// A document that no run could read is refused before there are runs.
Status CheckDocuments(const JobSpec& spec, const PathsByText& paths, const std::string& path) {
  for (const WorkloadSelection& one : spec.workloads) {
    if (one.document.empty()) continue;
    const Result<WorkloadDocument> document = ReadDocument(
        {.name = one.workload, .parameters = {}, .document = one.document}, paths.at(one.document));
    if (!document) {
      return Fail(document.error().code, fmt::format("{}: {}", path, document.error().message));
    }
  }
  return {};
}

}  // namespace

Result<JobSpec> ReadSuiteFile(const std::string& path) {
  const Result<std::string> text =
      ReadTextInput(path, static_cast<std::size_t>(kMaxSuiteFileBytes));
  if (!text) return Fail(text.error());
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  PathsByText paths;
  Result<JobSpec> spec = ParseSuite(*text, path, [&](const std::string& document) {
    const std::string document_path = (folder / document).string();
    Result<std::string> content = ReadWorkloadFile(document_path);
    if (content) paths.emplace(*content, document_path);
    return content;
  });
  if (!spec) return spec;
  const Status readable = CheckDocuments(*spec, paths, path);
  if (!readable) return Fail(readable.error());
  return spec;
}

}  // namespace schedlab::client
