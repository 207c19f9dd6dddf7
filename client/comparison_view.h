#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/exit_code.h"
#include "client/grid.h"
#include "core/comparison.h"
#include "core/job.h"

namespace schedlab::client {

// A table of every row: both sides with n and spread, the change with its interval, the verdict,
// what the yardsticks come to; with the digest of the scenario where rows have the same names.
std::string RenderComparison(const RevisionComparison& comparison, bool has_color);

// The parts of RenderComparison(): both revisions and what the columns mean; then the rows.
std::string RenderComparisonHead(const RevisionComparison& comparison, bool has_color);
Grid ComparisonGrid(const std::vector<ComparisonRow>& rows);

// The rows of what a job has run and judges, told by its scenarios' digests and engine version; of
// another catalog or version than the coordinator's there is none.
RevisionComparison RowsOfJob(const RevisionComparison& comparison, const JobSpec& spec,
                             const std::vector<std::string>& scenario_digests,
                             std::string_view engine_version);

// Without the counters, which are not judged.
RevisionComparison HeadlineRows(const RevisionComparison& comparison);

// What a gate makes of it: a regression where any metric got worse; inconclusive where none did and
// one is undecided, or where nothing was judged.
ExitCode GateOf(const RevisionComparison& comparison);

// One line for each metric that got worse, the largest change first: metric, topology, effect with
// n and spread, both commits.
std::vector<std::string> RegressionLines(const RevisionComparison& comparison);

}  // namespace schedlab::client
