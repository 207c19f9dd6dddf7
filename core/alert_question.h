#pragma once

#include <optional>
#include <string>

#include "core/alert.h"
#include "core/bisection.h"
#include "core/catalog.h"
#include "core/ids.h"
#include "core/result.h"

namespace schedlab {

// A job that has runs of the cell's scenario on either side of the change; nullopt where nothing of
// them is stored.
std::optional<JobId> JobOf(const AlertCell& cell);

// Which commit made a cell of an alert worse, over the commits of the alert's interval. `job` is
// the spec of JobOf(cell); `salt` keeps its runs apart from those that raised the alert, which were
// chosen for being extreme. kFailedPrecondition: by this catalog no workload of the job makes the
// cell's scenario.
Result<BisectionQuestion> QuestionOf(const Catalog& catalog, const Alert& alert,
                                     const AlertCell& cell, const JobSpec& job,
                                     const std::string& salt);

}  // namespace schedlab
