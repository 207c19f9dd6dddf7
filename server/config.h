#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/limits.h"
#include "core/log.h"
#include "core/result.h"

namespace schedlab::server {

// "host:port" split in two. An IPv6 host is written in brackets: "[::1]:7450".
struct Address {
  std::string host;
  std::uint16_t port = 0;  // 0 = any free one

  friend bool operator==(const Address&, const Address&) = default;
};

// kInvalidArgument unless `text` is a host, a colon and a port.
Result<Address> ParseAddress(const std::string& text);
std::string ToString(const Address& address);
// Whether only processes of this machine can reach it.
bool IsLoopback(const Address& address);

inline constexpr std::int32_t kMaxPoolSize = 256;

// What the command line and the environment say.
struct ServerConfig {
  std::string database;  // a libpq connection string
  Address grpc_address{"127.0.0.1", 7450};
  Address http_address{"127.0.0.1", 8450};
  std::int32_t pool_size = 8;
  std::chrono::milliseconds lease_ttl = kLeaseTtl;
  std::string catalog_dir;  // empty = the catalog inside the binary
  bool should_migrate = true;
  // Between A/A evaluations, see AaEvaluations; 0 = never.
  std::chrono::seconds aa_interval{3600};
  // That the bisection of an alert may cost, see AlertBackfills; 0 = none is begun.
  std::int64_t backfill_runs = kDefaultBisectionRuns;
  LogLevel log_level = LogLevel::kInfo;
  std::string ready_file;  // empty = none
};

// A configuration, or a text to print before exiting with success (--help, --version).
struct ParsedCommandLine {
  std::optional<ServerConfig> config;
  std::string text;
};

// Every flag can also be given as SCHEDLAB_<FLAG>; flags win. kInvalidArgument with what is wrong.
Result<ParsedCommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace schedlab::server
