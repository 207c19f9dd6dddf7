#include "client/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/terminal.h"

namespace schedlab::client {
namespace {

constexpr mode_t kReadableByAll = 0644;

// 0, or the error of the first write(2) that failed.
int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return errno;
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path) {
  OutputFile output(path);
  if (path == "-") return output;
  output.file_ = FileDescriptor(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, kReadableByAll));
  if (!output.file_.is_open()) return Fail(output.Unwritable(errno));
  return output;
}

void OutputFile::Write(std::string_view bytes) {
  byte_count_ += bytes.size();
  if (!file_.is_open()) {
    Print(bytes);
    return;
  }
  if (first_error_ == 0) first_error_ = WriteAll(file_.get(), bytes);
}

Status OutputFile::Finish() {
  if (first_error_ != 0) return Fail(Unwritable(first_error_));
  return {};
}

Error OutputFile::Unwritable(int error) const {
  return {ErrorCode::kUnavailable, fmt::format("cannot write {}: {}", path_, std::strerror(error))};
}

}  // namespace schedlab::client
