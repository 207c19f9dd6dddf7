#pragma once

#include <memory>

#include "core/policy_spec.h"
#include "core/result.h"
#include "core/topology.h"
#include "sim/policy.h"

namespace schedlab::sim {

// The policy that `spec` names, for `machine`, which must outlive it. kInvalidArgument names an
// unknown policy, switch or value.
Result<std::unique_ptr<Policy>> MakePolicy(const PolicySpec& spec, Machine& machine);

// The machine that `spec` is to run on: `topology` itself, but for the oracle one whose kernel
// costs nothing. What the hardware costs, shared cores and slow ones, stays.
Topology TopologyFor(const PolicySpec& spec, const Topology& topology);

}  // namespace schedlab::sim
