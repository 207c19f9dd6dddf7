#include "server/ready_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace schedlab::server {

std::string ToJson(const ReadyNote& note) {
  // Addresses that were parsed and bound have no character to escape.
  return fmt::format(R"({{"grpc_address":"{}","http_address":"{}","process_id":{}}})",
                     ToString(note.grpc_address), ToString(note.http_address), note.process_id);
}

Status WriteReadyFile(const std::string& path, const ReadyNote& note) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, note.process_id);
  std::ofstream stream(temporary, std::ios::trunc);
  stream << ToJson(note) << '\n';
  stream.close();
  if (!stream) {
    return Fail(ErrorCode::kUnavailable, fmt::format("cannot write {}", temporary));
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (!error) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("cannot rename {} to {}: {}", temporary, path, error.message()));
}

}  // namespace schedlab::server
