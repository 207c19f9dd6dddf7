#pragma once

#include <cstdint>

#include "tests/scenarios/scenario_file.h"

namespace schedlab::properties {

// What must hold of a run, besides that its books add up.
enum class Kind : std::uint8_t {
  // Every task has a fixed amount of work, of any class, in any group: all of it must get done.
  kFinite,
  // Fair tasks alone, without quotas, some of them for ever: none of them may wait for long.
  kCalm,
  // Anything, some of it for ever.
  kWild,
};

struct AnyScenario {
  Kind kind = Kind::kFinite;
  scenarios::ScenarioFile file;
};

// A random machine of 1 to 64 CPUs, tasks, groups, disturbances and policy: a function of `seed`.
AnyScenario MakeAnyScenario(std::uint64_t seed);

}  // namespace schedlab::properties
