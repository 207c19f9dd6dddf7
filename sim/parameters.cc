#include "sim/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/check.h"

namespace schedlab::sim {

std::int64_t Parameters::Get(std::string_view name) const {
  const auto found = values_.find(name);
  SCHEDLAB_CHECK(found != values_.end());
  return found->second;
}

std::int32_t Parameters::GetCount(std::string_view name) const {
  return static_cast<std::int32_t>(Get(name));
}

Result<Parameters> Parameters::Resolve(const WorkloadSpec& spec,
                                       std::span<const ParameterRule> rules) {
  Parameters parameters;
  for (const ParameterRule& rule : rules) {
    parameters.values_.emplace(rule.name, rule.default_value);
  }
  for (const auto& given : spec.parameters) {
    const std::string& name = given.first;
    const std::int64_t value = given.second;
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const ParameterRule& r) { return r.name == name; });
    if (rule == rules.end()) {
      std::vector<std::string_view> names;
      for (const ParameterRule& known : rules) names.push_back(known.name);
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("workload {} has no parameter '{}'; it has {}", spec.name, name,
                              fmt::join(names, ", ")));
    }
    if (value < rule->minimum || value > rule->maximum) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("parameter '{}' of workload {} is {}; it must be from {} to {}", name,
                              spec.name, value, rule->minimum, rule->maximum));
    }
    parameters.values_[name] = value;
  }
  return parameters;
}

}  // namespace schedlab::sim
