#include "server/config.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <sstream>
#include <string_view>

#include "core/engine_version.h"
#include "server/version.h"

namespace schedlab::server {
namespace {

// The flags as they are typed; checked and turned into a ServerConfig afterwards.
struct RawFlags {
  std::string grpc_address;
  std::string http_address;
  std::int64_t lease_ttl_ms = 0;
  std::int64_t aa_interval_s = 0;
  std::string log_level = "info";
};

constexpr std::int64_t kMinLeaseTtlMs = 500;
constexpr std::int64_t kMaxLeaseTtlMs = 3'600'000;
constexpr std::int64_t kMaxAaIntervalS = 31'536'000;

void AddFlags(CLI::App& app, ServerConfig& config, RawFlags& raw) {
  app.add_option("--database", config.database,
                 "libpq connection string, e.g. \"host=/run/postgresql dbname=schedlab\"")
      ->envname("SCHEDLAB_DATABASE");
  app.add_option("--grpc-address", raw.grpc_address, "host:port of the API; port 0 = any free one")
      ->envname("SCHEDLAB_GRPC_ADDRESS")
      ->capture_default_str();
  app.add_option("--http-address", raw.http_address,
                 "host:port of /metrics, /healthz and /readyz; port 0 = any free one")
      ->envname("SCHEDLAB_HTTP_ADDRESS")
      ->capture_default_str();
  app.add_option("--pool-size", config.pool_size, "connections to the database")
      ->envname("SCHEDLAB_POOL_SIZE")
      ->check(CLI::Range(1, kMaxPoolSize))
      ->capture_default_str();
  app.add_option("--lease-ttl-ms", raw.lease_ttl_ms, "how long a lease lasts without a renewal")
      ->envname("SCHEDLAB_LEASE_TTL_MS")
      ->check(CLI::Range(kMinLeaseTtlMs, kMaxLeaseTtlMs))
      ->capture_default_str();
  app.add_option("--aa-interval-s", raw.aa_interval_s,
                 "between evaluations of a revision against itself on idle workers; 0 = never")
      ->envname("SCHEDLAB_AA_INTERVAL_S")
      ->check(CLI::Range(std::int64_t{0}, kMaxAaIntervalS))
      ->capture_default_str();
  app.add_option("--backfill-runs", config.backfill_runs,
                 "runs that the bisection of an alert may cost; 0 = alerts are not bisected by "
                 "themselves")
      ->envname("SCHEDLAB_BACKFILL_RUNS")
      ->check(CLI::Range(std::int64_t{0}, kMaxBisectionRuns))
      ->capture_default_str();
  app.add_option("--catalog", config.catalog_dir,
                 "folder to read the catalog from instead of the one inside the binary")
      ->envname("SCHEDLAB_CATALOG");
  app.add_flag("--migrate,!--no-migrate", config.should_migrate,
               "bring the database's schema up to date at start (default)")
      ->envname("SCHEDLAB_MIGRATE");
  app.add_option("--log-level", raw.log_level, "debug, info, warn or error")
      ->envname("SCHEDLAB_LOG_LEVEL")
      ->capture_default_str();
  app.add_option("--ready-file", config.ready_file,
                 "file to write the bound addresses to, as JSON, once the server serves")
      ->envname("SCHEDLAB_READY_FILE");
}

Result<ServerConfig> Checked(ServerConfig config, const RawFlags& raw) {
  if (config.database.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "--database (or SCHEDLAB_DATABASE) is missing; give a libpq connection string such "
                "as \"host=/run/postgresql dbname=schedlab\"");
  }
  const Result<Address> grpc_address = ParseAddress(raw.grpc_address);
  if (!grpc_address) {
    return Fail(grpc_address.error().code, "--grpc-address: " + grpc_address.error().message);
  }
  const Result<Address> http_address = ParseAddress(raw.http_address);
  if (!http_address) {
    return Fail(http_address.error().code, "--http-address: " + http_address.error().message);
  }
  const std::optional<LogLevel> level = LogLevelFromString(raw.log_level);
  if (!level) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("--log-level: '{}' is none of debug, info, warn, error", raw.log_level));
  }
  config.grpc_address = *grpc_address;
  config.http_address = *http_address;
  config.lease_ttl = std::chrono::milliseconds{raw.lease_ttl_ms};
  config.aa_interval = std::chrono::seconds{raw.aa_interval_s};
  config.log_level = *level;
  return config;
}

}  // namespace

Result<Address> ParseAddress(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto malformed = [&text] {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is not host:port, e.g. 127.0.0.1:7450 or [::1]:7450", text));
  };
  if (colon == std::string::npos || colon == 0) return malformed();
  std::string host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return malformed();
  }
  Address address{.host = host};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (host.empty() || error != std::errc() || parsed != end) return malformed();
  return address;
}

std::string ToString(const Address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", address.host, address.port)
               : fmt::format("{}:{}", address.host, address.port);
}

bool IsLoopback(const Address& address) {
  return address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
}

Result<ParsedCommandLine> ParseCommandLine(int argc, const char* const* argv) {
  ServerConfig config;
  RawFlags raw{.grpc_address = ToString(config.grpc_address),
               .http_address = ToString(config.http_address),
               .lease_ttl_ms = config.lease_ttl.count(),
               .aa_interval_s = config.aa_interval.count()};
  CLI::App app(
      "The coordinator of schedlab: turns jobs into runs, leases them to workers, keeps "
      "every result in PostgreSQL and finds the regressions.",
      "schedlab-server");
  app.set_version_flag(
      "--version", fmt::format("schedlab-server {} (engine {})", kBuildVersion, kEngineVersion));
  AddFlags(app, config, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    std::ostringstream text;
    app.exit(success, text, text);
    return ParsedCommandLine{.config = std::nullopt, .text = text.str()};
  } catch (const CLI::Error& error) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}; see schedlab-server --help", error.what()));
  }
  const Result<ServerConfig> checked = Checked(config, raw);
  if (!checked) return Fail(checked.error());
  return ParsedCommandLine{.config = *checked, .text = ""};
}

}  // namespace schedlab::server
