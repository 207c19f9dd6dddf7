#include "client/account.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <vector>

#include "client/environment.h"
#include "client/file_descriptor.h"
#include "client/number_format.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kPasswdBufferBytes = 16384;

std::optional<Account> ToAccount(const passwd* entry) {
  if (entry == nullptr) return std::nullopt;
  return Account{entry->pw_uid, entry->pw_gid, entry->pw_name, entry->pw_dir};
}

std::optional<Account> FindByName(const char* name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, kPasswdBufferBytes> buffer{};
  getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found);
  return ToAccount(found);
}

std::optional<Account> FindByUid(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, kPasswdBufferBytes> buffer{};
  getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return ToAccount(found);
}

std::optional<Account> SudoCaller() {
  const Result<std::int64_t> uid = ParseInteger(EnvironmentVariable("SUDO_UID"));
  if (!uid || *uid <= 0) return std::nullopt;
  return FindByUid(static_cast<uid_t>(*uid));
}

// Asked of the kernel by a child that has become the account, since mode bits alone do not tell
// (access control lists, supplementary groups, mounts).
bool MayEnter(const std::string& folder, const std::optional<Account>& account) {
  const pid_t child = fork();
  if (child == 0) {
    if (account && (setgroups(1, &account->gid) != 0 || setgid(account->gid) != 0 ||
                    setuid(account->uid) != 0)) {
      _exit(1);
    }
    _exit(access(folder.c_str(), X_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<Account> UnprivilegedAccount() {
  if (geteuid() != 0) return std::nullopt;
  if (std::optional<Account> account = SudoCaller()) return account;
  if (std::optional<Account> account = FindByName("postgres")) return account;
  if (std::optional<Account> account = FindByName("nobody")) return account;
  constexpr uid_t kNobody = 65534;
  return Account{kNobody, kNobody, "nobody", "/"};
}

Account AccountOf(uid_t uid, gid_t gid) {
  std::optional<Account> account = FindByUid(uid);
  if (account) return *account;
  return Account{uid, gid, fmt::format("{}", uid), "/"};
}

Status CheckReachable(const std::string& path, const std::optional<Account>& account) {
  std::filesystem::path folder = "/";
  for (const auto& part : std::filesystem::path(path).parent_path().relative_path()) {
    folder /= part;
    if (!std::filesystem::exists(folder)) break;  // it will be made for the account
    if (MayEnter(folder.string(), account)) continue;
    const Account user = account ? *account : AccountOf(geteuid(), getegid());
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("user {} (PostgreSQL does not run as root) may not enter {}, which is "
                            "above the data folder {}: choose another with --data-dir, or allow it "
                            "with `chmod o+x {}`",
                            user.name, folder.string(), path, folder.string()));
  }
  return {};
}

bool ReachesOpenFolders(const Account& account) {
  const FileDescriptor root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return root.is_open() && MayEnter(fmt::format("/proc/self/fd/{}/.", root.get()), account);
}

}  // namespace schedlab::client
