#pragma once

#include <string>

#include "core/job.h"
#include "core/result.h"

namespace schedlab::client {

// The job that a suite file describes; the files that it names are relative to its folder.
// kNotFound: no such file; kInvalidArgument names the place.
Result<JobSpec> ReadSuiteFile(const std::string& path);

}  // namespace schedlab::client
