#include "sim/fair/switches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace schedlab::sim::fair {
namespace {

Error UnknownSwitch(const std::string& name) {
  std::vector<std::string_view> names;
  for (const KnownSwitch& known : KnownSwitches()) names.push_back(known.name);
  return {ErrorCode::kInvalidArgument,
          fmt::format("linux-fair has no switch '{}'; it has {}", name, fmt::join(names, ", "))};
}

}  // namespace

Result<Switches> ParseSwitches(const PolicySpec& spec) {
  Switches switches;
  for (const auto& given : spec.switches) {
    const std::string& name = given.first;
    const std::string& value = given.second;
    const auto known = std::find_if(KnownSwitches().begin(), KnownSwitches().end(),
                                    [&](const KnownSwitch& k) { return k.name == name; });
    if (known == KnownSwitches().end()) return Fail(UnknownSwitch(name));
    const auto found = std::find(known->values.begin(), known->values.end(), value);
    if (found == known->values.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("switch '{}' of linux-fair cannot be '{}'; its values are {}", name,
                              value, fmt::join(known->values, ", ")));
    }
    known->set(switches, static_cast<std::size_t>(found - known->values.begin()));
  }
  return switches;
}

}  // namespace schedlab::sim::fair
