#pragma once

#include <chrono>
#include <string>

#include "client/child_process.h"
#include "client/data_folder.h"
#include "core/result.h"

namespace schedlab::client {

// Where PostgreSQL's programs are.
struct PostgresInstall {
  std::string bin_folder;
  int major_version = 0;
};

// Looks in SCHEDLAB_PG_BINDIR (and, where that is set, nowhere else), /usr/lib/postgresql/*/bin and
// PATH. `wanted_major` 0 = the newest. kFailedPrecondition says what to install.
Result<PostgresInstall> FindPostgres(int wanted_major);

// A PostgreSQL cluster in a data folder that listens on a socket only. It outlives neither this
// process nor its folder's lock.
class PrivatePostgres {
 public:
  // Finds the programs, makes the cluster where there is none, and clears what a killed process
  // left behind. Requires: `folder` outlives it.
  static Result<PrivatePostgres> Prepare(const DataFolder& folder);

  PrivatePostgres(PrivatePostgres&&) = default;
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(PrivatePostgres&&) = delete;
  ~PrivatePostgres();

  int major_version() const { return install_.major_version; }
  // Of the server process; starting it again after its death recovers the cluster.
  ChildSpec ServerSpec() const;
  // Waits until `server` accepts connections.
  Status WaitUntilReady(ChildProcess& server, std::chrono::milliseconds timeout) const;
  // For libpq. Without the password, which is in a file that it names; the first for whoever may
  // read the folder, the second for the folder's children.
  std::string ConnectionString() const;
  std::string ChildConnectionString() const;

 private:
  PrivatePostgres(const DataFolder& folder, PostgresInstall install);
  Status CreateCluster() const;
  Status EndLeftOver() const;
  Status ChooseSocketFolder();
  std::string ChildSocketFolder() const;
  std::string ClusterPath() const { return folder_->FilePath("postgres"); }

  const DataFolder* folder_;
  PostgresInstall install_;
  std::string socket_folder_;
  bool owns_socket_folder_ = false;
};

// Whether PostgreSQL can have its socket in `folder`: the path of a socket has at most 107 bytes.
bool FitsSocket(std::string_view folder);
// "postgres (PostgreSQL) 15.18 (Debian ...)" -> 15; 0 where it is something else.
int MajorVersionOf(std::string_view version_text);

}  // namespace schedlab::client
