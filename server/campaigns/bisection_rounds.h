#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/bisection.h"
#include "core/job.h"
#include "server/campaigns/bisection_evidence.h"
#include "stats/bisection.h"

namespace schedlab::server {

// The job that makes sure of the first `repetitions` runs of a revision.
JobSpec ProbeJob(const JobSpec& probe, const std::string& revision, std::int32_t repetitions);

// A batch as runs that are to be made.
struct BisectionRound {
  std::vector<PlannedProbe> probes;                  // all that were ever asked for
  std::map<std::int64_t, std::int32_t> repetitions;  // of each commit of the batch
  std::int64_t run_count = 0;                        // that are not measured yet
};

// Repetitions that failed are tried again before others are asked for.
BisectionRound PlanRound(const BisectionRuns& known, const std::vector<stats::Probe>& batch);

// As few jobs as say the same. Repetitions that are known already cost nothing: their runs are
// found by their keys.
std::vector<JobSpec> JobsOf(const JobSpec& probe, const std::vector<RevisionRef>& revisions,
                            const BisectionRound& round);

}  // namespace schedlab::server
