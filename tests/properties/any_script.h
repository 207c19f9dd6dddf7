#pragma once

#include <cstdint>

#include "sim/workloads/scripted.h"

namespace schedlab::properties {

struct ScriptScope {
  std::int32_t cpu_count = 1;
  bool all_classes = true;  // else fair ones only
  bool quotas = true;
  bool endless = true;  // else every task has a fixed amount of work
};

// Tasks that run, sleep, yield, wake one another and begin other programs; some bound, in groups
// or cpusets; their attributes, CPUs and groups change while they run.
sim::Script AnyScript(std::uint64_t seed, const ScriptScope& scope);

}  // namespace schedlab::properties
