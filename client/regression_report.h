#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/campaign.h"
#include "core/comparison.h"
#include "core/job.h"

namespace schedlab::client {

// What is said of one alert, all of it from stored results.
struct RegressionReport {
  Alert alert;
  // The last good against the first bad revision in the scenario of the alert's strongest cell.
  std::optional<RevisionComparison> comparison;
  // Of a job that has runs of the first bad revision there.
  std::optional<JobSpec> spec;
  // The bisection that a coordinator began for the alert.
  std::optional<Campaign> backfill = std::nullopt;
};

// The cells of an alert that got worse, the largest effect first.
std::vector<const AlertCell*> RegressedCells(const Alert& alert);

// The cell's scenario in the 0day layout: its headline metrics, then the counters that moved.
std::string RenderCellTable(const RevisionComparison& comparison, const AlertCell& cell);

// The command that repeats one run of `revision` in the cell's scenario; empty where it cannot be
// told. `spec` is that of the run's job.
std::string RepeatCommand(const AlertCell& cell, const std::string& revision,
                          const std::optional<ExampleRun>& run, const JobSpec& spec);

// One regression as a page of text: what, where, since when, until when, why; then, as far as they
// are known, the table in the 0day layout and the commands that repeat one run of either side.
std::string RenderReport(const RegressionReport& report, bool has_color);

}  // namespace schedlab::client
