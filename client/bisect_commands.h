#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "client/commands/commands.h"

namespace schedlab::client {

// What the flags of the `bisect` commands and of `bisect-step` were read into.
struct BisectCommandOptions {
  BisectStartOptions start;
  BisectOptions one;
  BisectListOptions list;
  BisectStepOptions step;
};

// Adds bisect start, status, watch, list and cancel, and bisect-step. `choose` is called with the
// one that was typed. `options` must outlive that.
void AddBisectCommands(
    CLI::App& app, BisectCommandOptions& options,
    const std::function<void(std::function<ExitCode(const GlobalOptions&)>)>& choose);

}  // namespace schedlab::client
