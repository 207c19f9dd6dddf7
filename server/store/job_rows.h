#pragma once

#include <pqxx/pqxx>
#include <span>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/result.h"

namespace schedlab::server {

// Those of `ids` that exist, in the order of `ids`, in one snapshot.
Result<std::vector<Job>> ReadJobs(pqxx::work& transaction, std::span<const JobId> ids);
// kNotFound: no such job.
Result<Job> ReadJob(pqxx::work& transaction, JobId id);

// Locks the jobs that any of `runs` belongs to, and `also`, in order of their ids.
void LockJobsOf(pqxx::work& transaction, std::span<const RunId> runs, JobId also = {});

// Adds runs that have just ended to the counts of their jobs, and finishes the running jobs whose
// last run ended. Requires: no run is given twice, or was counted before.
void CountEndedRuns(pqxx::work& transaction, std::span<const RunId> runs);

}  // namespace schedlab::server
