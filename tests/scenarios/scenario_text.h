#pragma once

#include <string>

#include "tests/scenarios/scenario_file.h"

namespace schedlab::scenarios {

// What ParseScenario() reads as `scenario`, with what it prints below the dashes left empty. Each
// change of a task has to be of one thing.
std::string ScenarioText(const ScenarioFile& scenario);

}  // namespace schedlab::scenarios
