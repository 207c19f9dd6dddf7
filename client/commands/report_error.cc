#include <fmt/format.h>

#include "client/commands/commands.h"

namespace schedlab::client {

ExitCode ReportError(std::string_view what, const Error& error) {
  PrintDiagnostic(
      fmt::format("schedlab: {}: {}\n", EscapeControls(what), EscapeControls(error.message)));
  return ExitCodeOf(error);
}

}  // namespace schedlab::client
