#pragma once

#include <string>

#include "server/store/connection_pool.h"

namespace schedlab::testing {

enum class SchemaOf { kNothing, kServer };

// A database of its own for one test, in the cluster that SCHEDLAB_TEST_DATABASE names (see
// with_postgres.py). Dropped at destruction, with whatever is still connected to it.
class TestDatabase {
 public:
  explicit TestDatabase(SchemaOf schema);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  const std::string& connection_string() const { return connection_string_; }
  server::PoolOptions pool_options() const;

  // Runs SQL on a connection of its own, as the owner; returns the first value of the first row,
  // or "". Throws what libpqxx throws.
  std::string Query(const std::string& sql) const;

 private:
  std::string name_;
  std::string connection_string_;
};

}  // namespace schedlab::testing
