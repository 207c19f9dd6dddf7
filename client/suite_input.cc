#include "client/suite_input.h"

#include <fmt/format.h>

#include "client/data_folder.h"
#include "core/limits.h"
#include "core/suite.h"

namespace schedlab::client {

Result<JobSpec> ReadSuiteFile(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path);
  if (!text) return Fail(text.error());
  if (text->size() > static_cast<std::size_t>(kMaxSuiteFileBytes)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} has {} bytes; a suite file has at "
                                                         "most {}",
                                                         path, text->size(), kMaxSuiteFileBytes));
  }
  return ParseSuite(*text, path);
}

}  // namespace schedlab::client
