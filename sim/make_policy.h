#pragma once

#include <memory>

#include "core/policy_spec.h"
#include "core/result.h"
#include "sim/policy.h"

namespace schedlab::sim {

// The policy that `spec` names, for `machine`, which must outlive it. kInvalidArgument names what
// is unknown: the policy, a switch or a value.
Result<std::unique_ptr<Policy>> MakePolicy(const PolicySpec& spec, Machine& machine);

}  // namespace schedlab::sim
