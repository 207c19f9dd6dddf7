#pragma once

#include <string>
#include <string_view>

#include "core/job.h"
#include "core/result.h"

namespace schedlab {

// A suite file (TOML): the matrix that a job runs, kept by CI in its own tree. `file_name` stands
// in errors, which name the line and the key. docs/suites.md has the format.
Result<JobSpec> ParseSuite(std::string_view text, std::string_view file_name);

}  // namespace schedlab
