#pragma once

#include <string>
#include <vector>

#include "tests/properties/any_scenario.h"

namespace schedlab::properties {

// Runs `scenario` twice, watched and unwatched, and says in words what does not hold of it; empty
// where all is well. docs/scenarios.md lists the properties. The simulator ends the process itself
// where its own books do not add up.
std::vector<std::string> Violations(const AnyScenario& scenario);

// Of one run.
std::uint64_t DigestOf(const scenarios::ScenarioFile& scenario);
std::int64_t EventCountOf(const scenarios::ScenarioFile& scenario);

}  // namespace schedlab::properties
