#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "server/store/connection_pool.h"

namespace schedlab::server {

// One file of migrations/: "0001_jobs_and_runs.sql". Its number is its version.
struct Migration {
  std::string_view name;
  std::string_view sql;
};

// The files that were in migrations/ when this binary was built, in order.
std::span<const Migration> EmbeddedMigrations();

struct MigrationOptions {
  std::span<const Migration> migrations = EmbeddedMigrations();
  std::string tool_version;  // recorded with every file
};

// Brings the database to the last of `migrations` and returns the names of the files that were
// applied: all in one transaction, or none. Servers may call it at once; one does the work.
// kFailedPrecondition: an applied file was changed, or the database is newer than `migrations`; the
// message names the file and what to do. kUnavailable: other sessions hold the locks.
Result<std::vector<std::string>> Migrate(ConnectionPool& pool, const MigrationOptions& options);

// kFailedPrecondition unless the database is exactly at the last of `migrations`. Writes nothing.
Status CheckSchema(ConnectionPool& pool,
                   std::span<const Migration> migrations = EmbeddedMigrations());

}  // namespace schedlab::server
