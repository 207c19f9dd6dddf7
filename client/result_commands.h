#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "client/commands/commands.h"

namespace schedlab::client {

// What the flags of the commands that read stored results were read into.
struct ResultOptions {
  CompareOptions compare;
  HistoryOptions history;
  NoiseOptions noise;
  CoverageOptions coverage;
  MetricOptions metric;
  ReportOptions report;
  ReproduceOptions reproduce;
};

// A command line's choice. `formats` has what of -o it knows besides table and json.
struct ChosenCommand {
  std::function<ExitCode(const GlobalOptions&)> run;
  std::vector<OutputFormat> formats = {};
};

// Adds compare, report, history, noise, coverage, metric and reproduce. `choose` is called with the
// one that was typed. `options` must outlive that.
void AddResultCommands(CLI::App& app, ResultOptions& options,
                       const std::function<void(ChosenCommand)>& choose);

}  // namespace schedlab::client
