#pragma once

#include "core/result.h"
#include "core/scenario.h"
#include "core/workload_document.h"

namespace schedlab::ingest {

// What the workload's document says, by the format that its name stands for; nothing for a workload
// without one. kInvalidArgument says where the document is wrong.
Result<WorkloadDocument> ParseDocument(const WorkloadSpec& workload);

}  // namespace schedlab::ingest
