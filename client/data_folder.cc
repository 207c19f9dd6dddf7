#include "client/data_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "client/environment.h"
#include "client/text_file.h"

namespace schedlab::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionFile = "version";
constexpr std::string_view kLockFile = "lock";
constexpr std::string_view kPasswordFile = "password";
constexpr std::string_view kLayoutVersion = "schedlab data folder 1\n";
constexpr mode_t kOwnerOnlyFolder = 0700;
constexpr mode_t kOwnerOnlyFile = 0600;
constexpr std::size_t kPasswordBytes = 24;

tl::unexpected<Error> Broken(const std::string& path, const std::string& what) {
  return Fail(ErrorCode::kFailedPrecondition, fmt::format("data folder {}: {}", path, what));
}

// What a first start may have left behind before it wrote the version.
bool IsOfFirstStart(const std::string& name) {
  return name == kLockFile || name == kPasswordFile ||
         name == std::string(kPasswordFile) + ".new" || name == std::string(kVersionFile) + ".new";
}

// Refuses what has other files and no version, which is written before them: looked for last.
Status CheckOurs(const std::string& path) {
  std::error_code error;
  bool is_other = false;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    is_other = is_other || !IsOfFirstStart(entry->path().filename().string());
  }
  if (error) return Broken(path, fmt::format("cannot be listed: {}", error.message()));
  const bool has_version = fs::exists(path + "/" + std::string(kVersionFile), error);
  if (!is_other || has_version) return {};
  return Broken(path,
                "is not empty and not a data folder of schedlab: choose another with --data-dir");
}

// The folder's present owner stays the account, so that a second start finds its own files.
std::optional<Account> OwnerFor(const std::string& path) {
  if (geteuid() != 0) return std::nullopt;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && status.st_uid != 0) {
    return AccountOf(status.st_uid, status.st_gid);
  }
  return UnprivilegedAccount();
}

// Every missing folder above `path` too, all owned by `account`.
Status CreateFolders(const fs::path& path, const std::optional<Account>& account) {
  std::error_code error;
  if (fs::exists(path, error)) return {};
  if (path.has_parent_path() && path.parent_path() != path) {
    const Status above = CreateFolders(path.parent_path(), account);
    if (!above) return above;
  }
  if (mkdir(path.c_str(), kOwnerOnlyFolder) != 0 && errno != EEXIST) {
    return Broken(path.string(), fmt::format("cannot be created: {}", std::strerror(errno)));
  }
  if (account && chown(path.c_str(), account->uid, account->gid) != 0) {
    return Broken(path.string(), fmt::format("cannot be given to user {}: {}", account->name,
                                             std::strerror(errno)));
  }
  return {};
}

std::string RandomHex(std::size_t byte_count) {
  std::string bytes(byte_count, '\0');
  std::string text;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

DataFolder::DataFolder(std::string path, std::optional<Account> account)
    : path_(std::move(path)), account_(std::move(account)) {}

Result<DataFolder> DataFolder::Open(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (error) return Broken(path, error.message());
  const fs::file_status kind = fs::status(absolute, error);
  if (fs::exists(kind) && !fs::is_directory(kind)) return Broken(absolute, "is a file");
  DataFolder folder(absolute, OwnerFor(absolute));
  const Status reachable = CheckReachable(absolute, folder.account_);
  if (!reachable && !(folder.account_ && ReachesOpenFolders(*folder.account_))) {
    return Fail(reachable.error());
  }
  Status status = CreateFolders(absolute, folder.account_);
  if (status) status = CheckOurs(absolute);
  if (status) status = folder.Lock();
  if (status) status = folder.CheckVersion();
  if (status) status = folder.CreateFolder("logs");
  if (status && !reachable) status = folder.OpenForChildren();
  if (!status) return Fail(status.error());
  return folder;
}

std::string DataFolder::FilePath(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

std::string DataFolder::LogPath(std::string_view part) const {
  return fmt::format("{}/logs/{}.log", path_, part);
}

std::string DataFolder::ChildPath(std::string_view name) const {
  if (!is_below_closed_folder()) return FilePath(name);
  return fmt::format("/proc/self/fd/{}/{}", child_descriptor_.get(), name);
}

Status DataFolder::OpenForChildren() {
  child_descriptor_ = FileDescriptor(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (child_descriptor_.is_open()) return {};
  return Broken(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
}

Status DataFolder::Lock() {
  const std::string path = FilePath(kLockFile);
  lock_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnlyFile));
  if (!lock_.is_open()) {
    return Broken(path_, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    const Result<std::string> holder = ReadTextFile(path);
    return Broken(
        path_, fmt::format("another `schedlab dev` (pid {}) runs in it: stop that one, or choose "
                           "another folder with --data-dir",
                           holder && !holder->empty() ? *holder : "unknown"));
  }
  const std::string holder = fmt::format("{}", getpid());
  if (ftruncate(lock_.get(), 0) != 0 ||
      pwrite(lock_.get(), holder.data(), holder.size(), 0) != static_cast<ssize_t>(holder.size())) {
    return Broken(path_, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
  return {};
}

Status DataFolder::CheckVersion() {
  const Result<std::string> version = ReadTextFile(FilePath(kVersionFile));
  if (version && *version == kLayoutVersion) return {};
  if (version) {
    return Broken(path_, fmt::format("is of another version of schedlab ('{}', this one writes "
                                     "'{}'): choose another folder with --data-dir",
                                     version->substr(0, version->find('\n')),
                                     kLayoutVersion.substr(0, kLayoutVersion.size() - 1)));
  }
  is_new_ = true;
  if (chmod(path_.c_str(), kOwnerOnlyFolder) != 0) {
    return Broken(path_, fmt::format("cannot be made private: {}", std::strerror(errno)));
  }
  Status status = GiveToAccount(path_);
  if (status) status = WriteFile(kPasswordFile, RandomHex(kPasswordBytes));
  // Last: a folder without it is begun anew.
  if (status) status = WriteFile(kVersionFile, std::string(kLayoutVersion));
  return status;
}

Status DataFolder::GiveToAccount(const std::string& path) const {
  if (!account_ || chown(path.c_str(), account_->uid, account_->gid) == 0) return {};
  return Broken(path_, fmt::format("cannot give {} to user {}: {}", path, account_->name,
                                   std::strerror(errno)));
}

Result<std::string> DataFolder::Password() const { return ReadTextFile(FilePath(kPasswordFile)); }

Status DataFolder::WriteFile(std::string_view name, const std::string& text) const {
  const std::string path = FilePath(name);
  const std::string draft = path + ".new";
  {
    const FileDescriptor file(
        open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnlyFile));
    if (!file.is_open() ||
        write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.get()) != 0) {
      return Broken(path_, fmt::format("cannot write {}: {}", draft, std::strerror(errno)));
    }
  }
  const Status given = GiveToAccount(draft);
  if (!given) return given;
  if (rename(draft.c_str(), path.c_str()) == 0) return {};
  return Broken(path_, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

Status DataFolder::CreateFolder(std::string_view name) const {
  return CreateFolders(FilePath(name), account_);
}

std::string DefaultDataFolderPath() {
  const std::optional<Account> account = UnprivilegedAccount();
  if (account) {
    const bool is_sudo = EnvironmentVariable("SUDO_USER") == account->name;
    return is_sudo ? account->home + "/.local/share/schedlab/dev" : "/var/lib/schedlab/dev";
  }
  const std::string data_home = EnvironmentVariable("XDG_DATA_HOME");
  if (!data_home.empty()) return data_home + "/schedlab/dev";
  const std::string home = EnvironmentVariable("HOME");
  return (home.empty() ? AccountOf(geteuid(), getegid()).home : home) +
         "/.local/share/schedlab/dev";
}

}  // namespace schedlab::client
