#include <fmt/format.h>

#include "client/commands/commands.h"
#include "core/engine_version.h"

namespace schedlab::client {

ExitCode RunVersion(const GlobalOptions& global) {
  constexpr std::string_view kProtocol = "schedlab.v1";
  if (global.output == OutputFormat::kJson) {
    Print(
        fmt::format("{{\"format_version\":1,\"version\":\"{}\",\"engine_version\":\"{}\","
                    "\"protocol\":\"{}\"}}\n",
                    SCHEDLAB_VERSION, kEngineVersion, kProtocol));
  } else {
    Print(fmt::format("schedlab {}\nengine   {}\nprotocol {}\n", SCHEDLAB_VERSION, kEngineVersion,
                      kProtocol));
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
