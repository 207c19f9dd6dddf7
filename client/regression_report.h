#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/comparison.h"
#include "core/job.h"
#include "core/run.h"

namespace schedlab::client {

// What is said of one alert, all of it from stored results.
struct RegressionReport {
  Alert alert;
  // The last good against the first bad revision in the scenario of the alert's first cell.
  std::optional<RevisionComparison> comparison;
  // A run of each of them in that scenario, and what was submitted.
  std::optional<Run> good_run;
  std::optional<Run> bad_run;
  JobSpec spec;
};

// The cells of an alert that got worse, the largest effect first.
std::vector<const AlertCell*> RegressedCells(const Alert& alert);

// The alert as a page of text: what, where, since when, until when, why.
std::string RenderAlert(const Alert& alert, bool has_color);

// The alert, the table in the 0day layout, and the commands that repeat one run of either side.
std::string RenderReport(const RegressionReport& report, bool has_color);

// The scenario of `cell` in the 0day layout: its headline metrics, then the counters that moved
// with it.
std::string RenderCellTable(const RevisionComparison& comparison, const AlertCell& cell);

}  // namespace schedlab::client
