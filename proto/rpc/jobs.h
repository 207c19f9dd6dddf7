#pragma once

#include "core/job.h"
#include "core/result.h"
#include "core/run.h"
#include "schedlab/v1/jobs.pb.h"

namespace schedlab::rpc {

v1::SeedMode Encode(SeedMode mode);
// SEED_MODE_UNSPECIFIED is kIndependent.
Result<SeedMode> Decode(v1::SeedMode wire);

v1::JobSpec Encode(const JobSpec& spec);
Result<JobSpec> Decode(const v1::JobSpec& wire);

v1::RunCounts Encode(const RunCounts& counts);
Result<RunCounts> Decode(const v1::RunCounts& wire);

v1::JobState Encode(JobState state);
Result<JobState> Decode(v1::JobState wire);

v1::Job Encode(const Job& job);
Result<Job> Decode(const v1::Job& wire);

v1::RunState Encode(RunState state);
Result<RunState> Decode(v1::RunState wire);

v1::Run Encode(const Run& run);
Result<Run> Decode(const v1::Run& wire);

}  // namespace schedlab::rpc
