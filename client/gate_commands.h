#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "client/commands/commands.h"

namespace schedlab::client {

// What the flags of the `gate` commands were read into.
struct GateCommandOptions {
  GateRunOptions run;
  FollowOptions one;
  ListOptions list;
  GateFalseAlarmsOptions false_alarms;
};

// Adds gate run, list, status, watch, cancel and false-alarms. `choose` is called with the one that
// was typed. `options` must outlive that.
void AddGateCommands(CLI::App& app, GateCommandOptions& options, const ChooseCommand& choose);

}  // namespace schedlab::client
