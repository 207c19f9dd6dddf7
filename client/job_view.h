#pragma once

#include <string>
#include <vector>

#include "client/coordinator.h"
#include "client/terminal.h"
#include "core/job.h"
#include "core/run.h"

namespace schedlab::client {

// One line for each job.
std::string RenderJobs(const std::vector<Job>& jobs);

// A job, and how its runs stand by policy revision and scenario.
std::string RenderJob(const Job& job, const std::vector<Run>& runs);

// Why a job did not succeed: "12 of 40 runs had ended when it was cancelled".
std::string DescribeEnd(const Job& job);

// Follows a job to its end with progress on stderr, where that is wanted. Where it is interrupted,
// says that the job goes on and how to follow it.
Result<Job> FollowJob(Coordinator& coordinator, JobId id, const WatchLimits& limits,
                      const Terminal& terminal);

}  // namespace schedlab::client
