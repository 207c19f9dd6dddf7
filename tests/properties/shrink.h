#pragma once

#include "tests/properties/any_scenario.h"

namespace schedlab::properties {

// A smaller scenario that still fails, or `scenario` where it does not. Every attempt is a process
// of its own, since a broken invariant ends it.
AnyScenario Shrunk(const AnyScenario& scenario);

}  // namespace schedlab::properties
