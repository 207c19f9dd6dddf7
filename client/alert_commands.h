#pragma once

#include <CLI/CLI.hpp>

#include "client/commands/commands.h"

namespace schedlab::client {

// What the flags of the `alerts` commands were read into.
struct AlertCommandOptions {
  AlertListOptions list;
  AlertShowOptions show;
  AlertChangeOptions change;
  AlertExplainOptions explain;
  AlertPrecisionOptions precision;
};

// Adds alerts list, show, ack, resolve, dismiss, reopen, explain and precision. `choose` is called
// with the one that was typed. `options` must outlive that.
void AddAlertCommands(CLI::App& app, AlertCommandOptions& options, const ChooseCommand& choose);

}  // namespace schedlab::client
