#pragma once

#include <variant>

#include "core/task_script.h"

namespace schedlab {

// WorkloadSpec::document, parsed. std::monostate: the workload takes none.
using WorkloadDocument = std::variant<std::monostate, TaskScript>;

}  // namespace schedlab
