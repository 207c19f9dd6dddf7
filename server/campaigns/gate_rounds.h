#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/job.h"
#include "server/campaigns/gate_suite.h"

namespace schedlab::server {

// How many repetitions of each side of an arm the next round makes sure of; 0 = leave it alone.
struct ArmTarget {
  std::size_t arm = 0;
  std::array<std::int32_t, 2> repetitions = {};  // by side
};

// As few jobs as say the same. Repetitions that are known already are part of them, and cost
// nothing: their runs are found by their keys.
std::vector<JobSpec> JobsOf(const GateSuite& suite, const GateSides& sides,
                            std::span<const ArmTarget> targets);

}  // namespace schedlab::server
