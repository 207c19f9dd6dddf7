#pragma once

#include <string>
#include <vector>

#include "sim/counters.h"
#include "tests/properties/run_watch.h"
#include "tests/scenarios/scenario_file.h"

namespace schedlab::properties {

// Adds to `violated` where /proc/schedstat of a run does not add up, or is not what was watched.
void CheckSchedstat(const scenarios::ScenarioFile& file, const sim::Schedstat& schedstat,
                    const RunWatch& watch, std::vector<std::string>& violated);

}  // namespace schedlab::properties
