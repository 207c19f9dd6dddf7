#pragma once

#include <optional>

#include "sim/machine.h"

namespace schedlab::sim {

// Jain's index of the shares of CPU time that competing tasks got: 1 where all got the same, 1/n
// where one got everything. Competing are tasks that may run on the same CPUs, have the same
// attributes and group, and have been runnable all the time since they started, for at least half
// of the run. Of the largest set of such tasks; nullopt where no two compete.
std::optional<double> AlwaysRunnableFairness(const Machine& machine);

}  // namespace schedlab::sim
