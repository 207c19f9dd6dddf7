#pragma once

#include <optional>
#include <string>

#include "client/account.h"
#include "client/file_descriptor.h"
#include "core/result.h"

namespace schedlab::client {

// The folder in which `schedlab dev` keeps everything, held by one process at a time:
//   version     layout of the folder
//   lock        names the process that holds it
//   password    of the database's owner, mode 600; pgpass is the same for libpq
//   postgres/   the cluster
//   logs/       one file for each part
// Mode 700. Owned by `account` where that is set.
class DataFolder {
 public:
  // Opens or creates it, and takes the lock. kFailedPrecondition: another process holds it, it
  // belongs to something else or to another version, or the account cannot reach it.
  static Result<DataFolder> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::optional<Account>& account() const { return account_; }
  bool is_new() const { return is_new_; }

  std::string FilePath(std::string_view name) const;
  std::string LogPath(std::string_view part) const;
  // Where children of the account find a file of it. Where a folder above is closed to them, that
  // is below `child_descriptor`, which they must be given.
  std::string ChildPath(std::string_view name) const;
  int child_descriptor() const { return child_descriptor_.get(); }
  bool is_below_closed_folder() const { return child_descriptor_.is_open(); }
  // The database password, made when the folder is new.
  Result<std::string> Password() const;

  // Writes a file of mode 600 that the account owns, at once or not at all.
  Status WriteFile(std::string_view name, const std::string& text) const;
  // Creates a folder of mode 700 below it where there is none.
  Status CreateFolder(std::string_view name) const;

 private:
  DataFolder(std::string path, std::optional<Account> account);
  Status Lock();
  Status CheckVersion();
  Status OpenForChildren();
  Status GiveToAccount(const std::string& path) const;

  std::string path_;
  std::optional<Account> account_;
  FileDescriptor lock_;
  FileDescriptor child_descriptor_;
  bool is_new_ = false;
};

// $XDG_DATA_HOME/schedlab/dev. Root's own folders are closed to the user that PostgreSQL runs as,
// so root gets that of the user who called sudo, or /var/lib/schedlab/dev.
std::string DefaultDataFolderPath();

}  // namespace schedlab::client
