#pragma once

#include <cstddef>

#include "sim/sim_time.h"
#include "tests/scenarios/scenario_file.h"

namespace schedlab::properties {

// How long a runnable task of a scenario may wait for a CPU. Only where all tasks are fair ones and
// no group has a quota; docs/scenarios.md says who is exempt and why.

// What one turn of another task may take.
sim::SimDuration Patience(const scenarios::ScenarioFile& file);

// The longest wait of task `number`, where one turn takes `turn`.
sim::SimDuration PatienceOf(const scenarios::ScenarioFile& file, std::size_t number,
                            sim::SimDuration turn);

}  // namespace schedlab::properties
