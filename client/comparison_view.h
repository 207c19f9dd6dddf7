#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"
#include "core/comparison.h"
#include "core/job.h"

namespace schedlab::client {

// A table of every row: both sides with n and spread, the change with its interval, the verdict.
std::string RenderComparison(const RevisionComparison& comparison, bool has_color);

// One table in the 0day layout for each (topology, workload).
std::string RenderLkpComparison(const RevisionComparison& comparison);

// The rows of what a job has run and judges. `scenario_digests` are the job's; where no row has one
// of them (another catalog than the coordinator's) scenarios are told by their names alone.
RevisionComparison RowsOfJob(const RevisionComparison& comparison, const JobSpec& spec,
                             const std::vector<std::string>& scenario_digests);

// What a gate makes of it: a regression where any metric got worse; inconclusive where none did and
// one is undecided, or where nothing was judged.
ExitCode GateOf(const RevisionComparison& comparison);

// One line for each metric that got worse, the largest change first: metric, topology, effect with
// n and spread, both commits.
std::vector<std::string> RegressionLines(const RevisionComparison& comparison);

}  // namespace schedlab::client
