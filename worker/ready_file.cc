#include "worker/ready_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace schedlab::worker {

Status WriteReadyFile(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".tmp";
  std::ofstream file(unfinished, std::ios::trunc);
  file << text << std::flush;
  file.close();
  if (!file) return Fail(ErrorCode::kInternal, fmt::format("cannot write {}", unfinished));
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error) {
    return Fail(ErrorCode::kInternal,
                fmt::format("cannot rename {} to {}: {}", unfinished, path, error.message()));
  }
  return {};
}

}  // namespace schedlab::worker
