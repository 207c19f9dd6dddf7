#include "sim/make_policy.h"

#include <fmt/format.h>

#include "sim/fair/fair_policy.h"

namespace schedlab::sim {

Result<std::unique_ptr<Policy>> MakePolicy(const PolicySpec& spec, Machine& machine) {
  if (ImplementationOf(spec) == "linux-fair") {
    const Result<fair::Switches> switches = fair::ParseSwitches(spec);
    if (!switches) return Fail(switches.error());
    return std::make_unique<fair::FairPolicy>(machine, *switches);
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no policy '{}'; the simulator has linux-fair", ImplementationOf(spec)));
}

}  // namespace schedlab::sim
