#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "client/commands/commands.h"

namespace schedlab::client {

// What the arguments ask for: a command to run, or a text and an exit code (--help, a mistake).
struct ParsedCommand {
  std::function<ExitCode()> run;  // empty where there is only text
  std::string text;
  ExitCode code = ExitCode::kOk;  // kUsage: the text is an error
};

// `arguments` without the program's name. `program_folder` has its siblings.
ParsedCommand ParseCommandLine(std::vector<std::string> arguments,
                               const std::string& program_folder);

}  // namespace schedlab::client
