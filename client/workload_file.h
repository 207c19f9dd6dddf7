#pragma once

#include <string>

#include "core/result.h"
#include "core/scenario.h"
#include "core/workload_document.h"

namespace schedlab::client {

// The text of a file that a workload executes; empty where `path` is. Errors are ReadTextFile()'s.
Result<std::string> ReadWorkloadFile(const std::string& path);

// The parsed document of `workload`, which stands in the file `path`; says on stderr what of it has
// no effect.
Result<WorkloadDocument> ReadDocument(const WorkloadSpec& workload, const std::string& path);

}  // namespace schedlab::client
