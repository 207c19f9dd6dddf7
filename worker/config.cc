#include "worker/config.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "core/engine_version.h"
#include "core/limits.h"
#include "worker/version.h"

namespace schedlab::worker {
namespace {

void AddFlags(CLI::App& app, WorkerConfig& config, std::string& log_level) {
  app.add_option("--server", config.server,
                 "the coordinator: host:port, unix:/path, or dns:///name:port for several")
      ->envname("SCHEDLAB_SERVER")
      ->capture_default_str();
  app.add_option("--name", config.name, "this worker's name, unique in the fleet")
      ->envname("SCHEDLAB_NAME")
      ->capture_default_str();
  app.add_option("--slots", config.slot_count, "attempts to execute at once")
      ->envname("SCHEDLAB_SLOTS")
      ->check(CLI::Range(1, kMaxSlotsPerWorker))
      ->capture_default_str();
  app.add_option("--log-level", log_level, "debug, info, warn or error")
      ->envname("SCHEDLAB_LOG_LEVEL")
      ->capture_default_str();
  app.add_option("--ready-file", config.ready_file,
                 "file to write the worker's name to once a coordinator has answered")
      ->envname("SCHEDLAB_READY_FILE");
}

Result<WorkerConfig> Checked(WorkerConfig config, const std::string& log_level) {
  const std::optional<LogLevel> level = LogLevelFromString(log_level);
  if (!level) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--log-level: '{}' is none of debug, info, warn, error", log_level));
  }
  if (config.name.empty() || config.name.size() > kMaxNameLength) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--name: must have from 1 to {} bytes, has {}", kMaxNameLength,
                            config.name.size()));
  }
  if (config.server.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--server: must not be empty");
  }
  config.log_level = *level;
  return config;
}

}  // namespace

Result<ParsedCommandLine> ParseCommandLine(int argc, const char* const* argv,
                                           const WorkerDefaults& defaults) {
  WorkerConfig config;
  config.name = defaults.host_name + "-sim";
  config.slot_count = std::clamp(defaults.cpu_count, 1, kMaxSlotsPerWorker);
  std::string log_level = "info";
  CLI::App app("A worker of schedlab: leases runs from the coordinator and executes them.",
               "schedlab-worker");
  app.set_version_flag(
      "--version", fmt::format("schedlab-worker {} (engine {})", kBuildVersion, kEngineVersion));
  AddFlags(app, config, log_level);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    std::ostringstream text;
    app.exit(success, text, text);
    return ParsedCommandLine{.config = std::nullopt, .text = text.str()};
  } catch (const CLI::Error& error) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}; see schedlab-worker --help", error.what()));
  }
  Result<WorkerConfig> checked = Checked(std::move(config), log_level);
  if (!checked) return Fail(std::move(checked.error()));
  return ParsedCommandLine{.config = *std::move(checked), .text = ""};
}

}  // namespace schedlab::worker
