#pragma once

#include <pqxx/pqxx>
#include <string>

namespace schedlab::server {

// Keeps <pqxx/...> out of connection_pool.h, which the whole server includes.
struct PooledConnection {
  explicit PooledConnection(const std::string& connection_string) : database(connection_string) {}

  pqxx::connection database;
};

}  // namespace schedlab::server
