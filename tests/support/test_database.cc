#include "tests/support/test_database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <pqxx/pqxx>

#include "core/check.h"
#include "server/store/schema.h"

namespace schedlab::testing {
namespace {

// Copying a database is quicker than migrating one.
constexpr const char* kTemplate = "schedlab_template";

std::string ServerString() {
  const char* value = std::getenv("SCHEDLAB_TEST_DATABASE");  // NOLINT(concurrency-mt-unsafe)
  SCHEDLAB_CHECK(value != nullptr && "run by tests/support/with_postgres.py");
  return value;
}

std::string QueryOn(const std::string& connection_string, const std::string& sql) {
  pqxx::connection connection(connection_string);
  pqxx::nontransaction session(connection);
  const pqxx::result rows = session.exec(sql);
  return rows.empty() || rows[0].empty() ? "" : rows[0][0].c_str();
}

std::string StringFor(const std::string& name) {
  return fmt::format("{} dbname={}", ServerString(), name);
}

bool HasTemplate() {
  return !QueryOn(ServerString(),
                  fmt::format("SELECT 1 FROM pg_database WHERE datname = '{}'", kTemplate))
              .empty();
}

void EnsureTemplate() {
  if (HasTemplate()) return;
  QueryOn(ServerString(), fmt::format("CREATE DATABASE {}", kTemplate));
  server::ConnectionPool pool({.connection_string = StringFor(kTemplate)});
  SCHEDLAB_CHECK(server::Migrate(pool, {}).has_value());
}

std::string NextName() {
  static std::atomic<int> count = 0;
  return fmt::format("schedlab_test_{}_{}", getpid(), ++count);
}

}  // namespace

TestDatabase::TestDatabase(SchemaOf schema)
    : name_(NextName()), connection_string_(StringFor(name_)) {
  if (schema == SchemaOf::kServer) EnsureTemplate();
  QueryOn(ServerString(), fmt::format("CREATE DATABASE {} TEMPLATE {}", name_,
                                      schema == SchemaOf::kServer ? kTemplate : "template0"));
}

TestDatabase::~TestDatabase() {
  QueryOn(ServerString(), fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", name_));
}

server::PoolOptions TestDatabase::pool_options() const {
  server::PoolOptions options;
  options.connection_string = connection_string_;
  return options;
}

std::string TestDatabase::Query(const std::string& sql) const {
  return QueryOn(connection_string_, sql);
}

}  // namespace schedlab::testing
