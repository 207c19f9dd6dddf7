#include "client/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

namespace schedlab::client {
namespace {

constexpr mode_t kReadableByAll = 0644;
constexpr mode_t kPermissions = 07777;
constexpr std::array kEndingSignals = {SIGHUP, SIGINT, SIGTERM};

// What a signal handler may read: the file to remove, or the empty text.
std::array<char, PATH_MAX> staged_path{};

extern "C" void RemoveStagedFile(int signal) {
  if (staged_path[0] != '\0') unlink(staged_path.data());
  std::signal(signal, SIG_DFL);
  raise(signal);  // delivered, with the end that was asked for, when this returns
}

// A signal that was ignored before (nohup) stays so.
void RemoveAtSignals(const std::string& path) {
  path.copy(staged_path.data(), path.size());
  staged_path[path.size()] = '\0';
  for (const int signal : kEndingSignals) {
    struct sigaction current {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler == SIG_DFL) std::signal(signal, RemoveStagedFile);
  }
}

void ForgetAtSignals() { staged_path[0] = '\0'; }

std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

}  // namespace

bool StagedFile::CanReplace(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return false;
  const std::optional<struct stat> status = StatusOf(path);
  if (status) return S_ISREG(status->st_mode) && access(path.c_str(), W_OK) == 0;
  std::error_code error;  // a link to nothing is followed by open(2) alone
  return !std::filesystem::is_symlink(path, error);
}

tl::expected<StagedFile, int> StagedFile::Create(const std::string& path) {
  const std::optional<struct stat> replaced = StatusOf(path);
  std::error_code error;
  // A link stays one, and what it leads to is replaced.
  const std::string target =
      replaced ? std::filesystem::canonical(path, error).string() : std::string(path);
  if (error) return tl::unexpected(error.value());
  StagedFile staged;
  staged.target_ = target;
  const std::string draft = fmt::format("{}.{}.part", target, getpid());
  if (draft.size() >= PATH_MAX) return tl::unexpected(ENAMETOOLONG);
  RemoveAtSignals(draft);
  unlink(draft.c_str());  // of a process of the same id that was killed
  staged.file_ = FileDescriptor(
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, kReadableByAll));
  if (!staged.file_.is_open()) {
    const int why = errno;
    ForgetAtSignals();
    return tl::unexpected(why);
  }
  staged.path_ = draft;
  if (replaced) fchmod(staged.file_.get(), replaced->st_mode & kPermissions);
  return staged;
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      file_(std::move(other.file_)) {}

StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

StagedFile::~StagedFile() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  ForgetAtSignals();
}

int StagedFile::Publish() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) return errno;
  path_.clear();
  ForgetAtSignals();
  return 0;
}

}  // namespace schedlab::client
