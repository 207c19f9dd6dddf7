#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/result.h"

namespace schedlab::client {

// The operating system's user that something runs as.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
  std::string home;
};

// Who the embedded parts run as where this process is root, since PostgreSQL refuses to be: the
// user who called sudo, else "postgres", else "nobody". nullopt where this process is not root.
std::optional<Account> UnprivilegedAccount();

// The account of `uid`; its name is the number where the system does not know it.
Account AccountOf(uid_t uid, gid_t gid);

// kFailedPrecondition, naming the folder, where `account` (this process's where nullopt) may not
// pass through one of the folders above `path` that exist.
Status CheckReachable(const std::string& path, const std::optional<Account>& account);

// Whether processes of `account` reach what is below a folder that they have open, even where a
// path to it is closed to them: through /proc.
bool ReachesOpenFolders(const Account& account);

}  // namespace schedlab::client
