#pragma once

#include "core/result.h"
#include "tests/scenarios/scenario_file.h"

namespace schedlab::scenarios {

// What the run itself takes for granted: that each task can pause, that its CPUs exist, that
// groups have weights and times.
Status CheckScenario(const ScenarioFile& scenario);

}  // namespace schedlab::scenarios
