#include "client/suite_input.h"

#include "client/text_file.h"
#include "core/limits.h"
#include "core/suite.h"

namespace schedlab::client {

Result<JobSpec> ReadSuiteFile(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path, static_cast<std::size_t>(kMaxSuiteFileBytes));
  if (!text) return Fail(text.error());
  return ParseSuite(*text, path);
}

}  // namespace schedlab::client
