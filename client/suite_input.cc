#include "client/suite_input.h"

#include <filesystem>

#include "client/text_file.h"
#include "core/limits.h"
#include "core/suite.h"

namespace schedlab::client {

Result<JobSpec> ReadSuiteFile(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path, static_cast<std::size_t>(kMaxSuiteFileBytes));
  if (!text) return Fail(text.error());
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ParseSuite(*text, path, [&folder](const std::string& document) {
    return ReadTextFile((folder / document).string(), kMaxDocumentBytes);
  });
}

}  // namespace schedlab::client
