#pragma once

#include <variant>

#include "core/task_script.h"
#include "core/workload_trace.h"

namespace schedlab {

// WorkloadSpec::document, parsed. std::monostate: the workload takes none.
using WorkloadDocument = std::variant<std::monostate, TaskScript, WorkloadTrace>;

}  // namespace schedlab
