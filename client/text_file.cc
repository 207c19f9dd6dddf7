#include "client/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "client/file_descriptor.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kChunkBytes = 65'536;

tl::unexpected<Error> Unreadable(std::string_view name, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}: {}", name, why));
}

// A device may have no end, and a folder has no text.
Status CheckKind(int descriptor, const std::string& path) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return Unreadable(path, std::strerror(errno));
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return {};
  return Unreadable(
      path, S_ISDIR(status.st_mode) ? "it is a folder" : "it is neither a regular file nor a pipe");
}

}  // namespace

Result<std::string> ReadOpenFile(int descriptor, std::string_view name, std::size_t byte_limit) {
  std::string text;
  while (text.size() <= byte_limit) {
    const std::size_t done = text.size();
    const std::size_t wanted = std::min(kChunkBytes, byte_limit + 1 - done);
    text.resize(done + wanted);
    const ssize_t got = read(descriptor, text.data() + done, wanted);
    text.resize(done + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return Unreadable(name, std::strerror(errno));
  }
  return Unreadable(name, fmt::format("it has more than {} bytes", byte_limit));
}

Result<std::string> ReadTextFile(const std::string& path, std::size_t byte_limit) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) {
    return Fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
                fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  const Status kind = CheckKind(file.get(), path);
  if (!kind) return Fail(kind.error());
  return ReadOpenFile(file.get(), path, byte_limit);
}

Result<std::string> ReadTextInput(const std::string& path, std::size_t byte_limit) {
  const bool is_stdin = path == "-";
  Result<std::string> text =
      is_stdin ? ReadOpenFile(STDIN_FILENO, "stdin", byte_limit) : ReadTextFile(path, byte_limit);
  if (text && text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return Unreadable(is_stdin ? "stdin" : path, "it is empty");
  }
  return text;
}

}  // namespace schedlab::client
