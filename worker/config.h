#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/log.h"
#include "core/result.h"

namespace schedlab::worker {

// What the command line and the environment say.
struct WorkerConfig {
  std::string server = "127.0.0.1:7450";  // "host:port", "unix:/path" or "dns:///name:port"
  std::string name;                       // unique in the fleet
  std::int32_t slot_count = 1;
  LogLevel log_level = LogLevel::kInfo;
  std::string ready_file;  // empty = none
};

// What the machine says where the flags do not.
struct WorkerDefaults {
  std::string host_name;
  std::int32_t cpu_count = 1;
};

// A configuration, or a text to print before exiting with success (--help, --version).
struct ParsedCommandLine {
  std::optional<WorkerConfig> config;
  std::string text;
};

// Every flag can also be given as SCHEDLAB_<FLAG>; flags win. kInvalidArgument with what is wrong.
Result<ParsedCommandLine> ParseCommandLine(int argc, const char* const* argv,
                                           const WorkerDefaults& defaults);

}  // namespace schedlab::worker
