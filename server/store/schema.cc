#include "server/store/schema.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "core/check.h"
#include "core/spec_json.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// Serialises migrations of one database. The number is arbitrary and must not change.
constexpr std::int64_t kMigrationLock = 0x7363'6865'646c'6162;

struct AppliedMigration {
  std::int32_t version = 0;
  std::string name;
  std::string sha256;
};

std::int32_t VersionOf(std::string_view name) {
  std::int32_t version = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
  SCHEDLAB_CHECK(error == std::errc() && end == name.data() + 4 && version > 0);
  return version;
}

std::string LastName(std::span<const Migration> migrations) {
  return migrations.empty() ? "nothing" : std::string(migrations.back().name.substr(0, 4));
}

// A checkout with other line ends, or an editor that trims them, is the same history.
std::string Normalised(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    if (c == '\r') continue;
    while (c == '\n' && !text.empty() && (text.back() == ' ' || text.back() == '\t')) {
      text.pop_back();
    }
    text += c;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text + "\n";
}

std::vector<AppliedMigration> ReadHistory(pqxx::work& transaction) {
  std::vector<AppliedMigration> history;
  const pqxx::result rows =
      transaction.exec("SELECT version, name, sha256 FROM schema_migrations ORDER BY version");
  for (const pqxx::row& row : rows) {
    history.push_back({row[0].as<std::int32_t>(), row[1].c_str(), row[2].c_str()});
  }
  return history;
}

const Migration* FindVersion(std::span<const Migration> migrations, std::int32_t version) {
  for (const Migration& migration : migrations) {
    if (VersionOf(migration.name) == version) return &migration;
  }
  return nullptr;
}

Status CheckHistory(const std::vector<AppliedMigration>& history,
                    std::span<const Migration> migrations) {
  for (const AppliedMigration& applied : history) {
    const Migration* known = FindVersion(migrations, applied.version);
    if (known == nullptr) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the database has migration {}, which this server ({}) does not "
                              "know: use a newer server",
                              applied.name, LastName(migrations)));
    }
    if (Sha256Hex(Normalised(known->sql)) != applied.sha256) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("migrations/{} was changed after it was applied (as {}): applied "
                              "migrations are never edited; restore the file and put the change "
                              "into a new one",
                              known->name, applied.name));
    }
  }
  return {};
}

// Waiting for another server's migration is normal and may take long; waiting for a table that
// somebody uses would queue everybody else behind this transaction.
void TakeMigrationLock(pqxx::work& transaction) {
  transaction.exec("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10min'");
  transaction.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock));
  transaction.exec("SET LOCAL lock_timeout = '3s'");
}

void CreateHistory(pqxx::work& transaction) {
  transaction.exec(
      "SET LOCAL client_min_messages = warning;"
      "CREATE TABLE IF NOT EXISTS schema_migrations ("
      "  version integer PRIMARY KEY,"
      "  name text NOT NULL,"
      "  sha256 text NOT NULL,"
      "  duration_ms double precision NOT NULL,"
      "  tool_version text NOT NULL,"
      "  applied_at timestamptz NOT NULL DEFAULT now())");
}

void Apply(pqxx::work& transaction, const Migration& migration, const std::string& tool_version) {
  const std::string started = transaction.exec1("SELECT clock_timestamp()")[0].c_str();
  transaction.exec(std::string(migration.sql));
  transaction.exec_params(
      "INSERT INTO schema_migrations (version, name, sha256, duration_ms, tool_version) VALUES "
      "($1, $2, $3, extract(epoch FROM clock_timestamp() - $4::timestamptz) * 1000, $5)",
      VersionOf(migration.name), std::string(migration.name), Sha256Hex(Normalised(migration.sql)),
      started, tool_version);
}

}  // namespace

Result<std::vector<std::string>> Migrate(ConnectionPool& pool, const MigrationOptions& options) {
  return Transact(pool, [&](pqxx::work& transaction) -> Result<std::vector<std::string>> {
    TakeMigrationLock(transaction);
    CreateHistory(transaction);
    const std::vector<AppliedMigration> history = ReadHistory(transaction);
    if (Status status = CheckHistory(history, options.migrations); !status) {
      return Fail(status.error());
    }
    const std::int32_t current = history.empty() ? 0 : history.back().version;
    std::vector<std::string> applied;
    for (const Migration& migration : options.migrations) {
      if (VersionOf(migration.name) <= current) continue;
      Apply(transaction, migration, options.tool_version);
      applied.emplace_back(migration.name);
    }
    return applied;
  });
}

Status CheckSchema(ConnectionPool& pool, std::span<const Migration> migrations) {
  return Transact(pool, [&](pqxx::work& transaction) -> Status {
    const pqxx::row exists =
        transaction.exec1("SELECT to_regclass('schema_migrations') IS NOT NULL");
    std::vector<AppliedMigration> history;
    if (exists[0].as<bool>()) history = ReadHistory(transaction);
    if (Status status = CheckHistory(history, migrations); !status) return status;
    if (history.size() < migrations.size()) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the database lacks migration {}: start this server with its "
                              "migrations enabled",
                              migrations[history.size()].name));
    }
    return {};
  });
}

}  // namespace schedlab::server
