#include "client/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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
  if (const int error = output.Open(); error != 0) return Fail(output.Unwritable(error));
  return output;
}

int OutputFile::Open() {
  if (StagedFile::CanReplace(path_)) {
    tl::expected<StagedFile, int> staged = StagedFile::Create(path_);
    if (staged) {
      staged_ = std::move(*staged);
      return 0;
    }
    if (staged.error() != EACCES || access(path_.c_str(), W_OK) != 0) return staged.error();
  }
  in_place_ = FileDescriptor(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, kReadableByAll));
  return in_place_.is_open() ? 0 : errno;
}

void OutputFile::Write(std::string_view bytes) {
  byte_count_ += bytes.size();
  if (!staged_.is_open() && !in_place_.is_open()) {
    Print(bytes);
    return;
  }
  const int descriptor = staged_.is_open() ? staged_.descriptor() : in_place_.get();
  if (first_error_ == 0) first_error_ = WriteAll(descriptor, bytes);
}

Status OutputFile::Finish() {
  if (first_error_ == 0 && staged_.is_open()) first_error_ = staged_.Publish();
  if (first_error_ != 0) return Fail(Unwritable(first_error_));
  return {};
}

Error OutputFile::Unwritable(int error) const {
  return {ErrorCode::kUnavailable, fmt::format("cannot write {}: {}", path_, std::strerror(error))};
}

}  // namespace schedlab::client
