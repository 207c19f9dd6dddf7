#include "client/workload_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/terminal.h"
#include "client/text_file.h"
#include "core/limits.h"
#include "ingest/documents.h"

namespace schedlab::client {
namespace {

// Of many threads, each with the same key, a few tell the story.
constexpr std::size_t kShownCount = 8;

void TellIgnored(const std::vector<std::string>& ignored) {
  if (ignored.empty()) return;
  const std::size_t shown = std::min(ignored.size(), kShownCount);
  const std::vector<std::string> first(ignored.begin(),
                                       ignored.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string rest =
      ignored.size() > shown ? fmt::format(" and {} more", ignored.size() - shown) : "";
  PrintDiagnostic(EscapeControls(
      fmt::format("schedlab: without effect here: {}{}\n", fmt::join(first, ", "), rest)));
}

}  // namespace

Result<std::string> ReadWorkloadFile(const std::string& path) {
  if (path.empty()) return std::string();
  return ReadTextInput(path, kMaxDocumentBytes);
}

Result<WorkloadDocument> ReadDocument(const WorkloadSpec& workload, const std::string& path) {
  Result<ingest::ParsedDocument> parsed = ingest::ParseDocument(workload, path);
  if (!parsed) return Fail(parsed.error());
  TellIgnored(parsed->ignored);
  return std::move(parsed->document);
}

}  // namespace schedlab::client
