#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "client/commands/commands.h"

namespace schedlab::client {

// Adds plan bisect and plan gate. `choose` is called with the one that was typed.
void AddPlanCommands(CLI::App& app, const ChooseCommand& choose);

}  // namespace schedlab::client
