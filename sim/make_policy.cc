#include "sim/make_policy.h"

#include <fmt/format.h>

#include "sim/linux/linux_policy.h"

namespace schedlab::sim {

Result<std::unique_ptr<Policy>> MakePolicy(const PolicySpec& spec, Machine& machine) {
  if (spec.name == "linux-fair") {
    const Result<fair::Switches> switches = fair::ParseSwitches(spec);
    if (!switches) return Fail(switches.error());
    return std::make_unique<linux::LinuxPolicy>(machine, *switches);
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no policy '{}'; the simulator has linux-fair", spec.name));
}

}  // namespace schedlab::sim
