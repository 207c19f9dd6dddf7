#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "client/coordinator.h"
#include "client/regression_report.h"
#include "client/terminal.h"
#include "core/expansion.h"
#include "core/job.h"

namespace schedlab::client {

// The evaluation that `schedlab dev --demo` submits.
struct Demo {
  JobSpec spec;
  ExpandedJob expanded;
  std::string request_id;  // of what it runs: another cost or switch in the catalog is another job
};

// Of a suite of the catalog or a suite file; empty = the commits around Linux 3.12.
Result<Demo> MakeDemo(const std::string& suite);

// What the stored results say of it.
struct DemoOutcome {
  Job job;
  bool is_new = false;  // else an earlier start in this folder has run it
  std::vector<RegressionReport> regressions;
};

// Submits it, follows it with progress on stderr, waits for the analysis, and reads its
// regressions.
Result<DemoOutcome> RunDemo(Coordinator& coordinator, const Demo& demo, const std::stop_token& stop,
                            const Terminal& terminal);

// Whether the alert is a regression in one of the demo's own scenarios and revisions.
bool BelongsTo(const Alert& alert, const Demo& demo);

}  // namespace schedlab::client
