#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/job.h"
#include "core/result.h"

namespace schedlab {

// Reads the file that a suite names, by the path that stands in the suite.
using DocumentReader = std::function<Result<std::string>(const std::string& path)>;

// A suite file (TOML): the matrix that a job runs, kept by CI in its own tree. `file_name` stands
// in errors, which name the line and the key. The files that its workloads name become their
// documents, through `read_document`. docs/suites.md has the format.
Result<JobSpec> ParseSuite(std::string_view text, std::string_view file_name,
                           const DocumentReader& read_document);

}  // namespace schedlab
