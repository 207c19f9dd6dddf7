#pragma once

#include <string>

#include "core/job.h"
#include "core/result.h"

namespace schedlab::client {

// The job that a suite file describes. kNotFound: no such file; kInvalidArgument names the place.
Result<JobSpec> ReadSuiteFile(const std::string& path);

}  // namespace schedlab::client
