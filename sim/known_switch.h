#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/policy_spec.h"
#include "core/result.h"

namespace schedlab::sim {

// A switch of a policy as a PolicySpec names it. values[0] is the default; `set` gives a member of
// `Switches`, an enumeration in the same order, its value.
template <class Switches>
struct KnownSwitch {
  std::string_view name;
  std::vector<std::string_view> values;
  void (*set)(Switches& switches, std::size_t value_index);
};

template <class Switches, auto Member>
void SetSwitch(Switches& switches, std::size_t value_index) {
  using Value = std::remove_reference_t<decltype(switches.*Member)>;
  switches.*Member = static_cast<Value>(value_index);
}

// The switches that `spec` sets, laid over their defaults. kInvalidArgument with the known names
// where a switch or a value is unknown.
template <class Switches>
Result<Switches> ParseKnownSwitches(const PolicySpec& spec,
                                    std::span<const KnownSwitch<Switches>> known_switches) {
  Switches switches;
  for (const auto& given : spec.switches) {
    const auto known = std::find_if(known_switches.begin(), known_switches.end(),
                                    [&](const auto& one) { return one.name == given.first; });
    if (known == known_switches.end()) {
      std::vector<std::string_view> names;
      for (const auto& one : known_switches) names.push_back(one.name);
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} has no switch '{}'; it has {}", spec.name, given.first,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    const auto found = std::find(known->values.begin(), known->values.end(), given.second);
    if (found == known->values.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("switch '{}' of {} cannot be '{}'; its values are {}", given.first,
                              spec.name, given.second, fmt::join(known->values, ", ")));
    }
    known->set(switches, static_cast<std::size_t>(found - known->values.begin()));
  }
  return switches;
}

}  // namespace schedlab::sim
