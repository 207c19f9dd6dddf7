#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "client/commands/commands.h"

namespace schedlab::client {

using CommandToRun = std::function<ExitCode(const GlobalOptions&)>;

// Adds `bisect` to the command `plan`. `choose` is called with it when it is asked for.
void AddPlanBisect(CLI::App& plan, const std::function<void(CommandToRun)>& choose);

}  // namespace schedlab::client
