#include "sim/fair/switches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace schedlab::sim::fair {
namespace {

template <auto Member>
void Set(Switches& switches, std::size_t value_index) {
  using Value = std::remove_reference_t<decltype(switches.*Member)>;
  switches.*Member = static_cast<Value>(value_index);
}

Error UnknownSwitch(const std::string& name) {
  std::vector<std::string_view> names;
  for (const KnownSwitch& known : KnownSwitches()) names.push_back(known.name);
  return {ErrorCode::kInvalidArgument,
          fmt::format("linux-fair has no switch '{}'; it has {}", name, fmt::join(names, ", "))};
}

}  // namespace

std::span<const KnownSwitch> KnownSwitches() {
  static const std::vector<KnownSwitch> kKnown = {
      {"capacity_model", {"halved_average", "pelt"}, Set<&Switches::capacity_model>},
      {"tunable_scaling", {"log_cap8", "log_uncapped", "none"}, Set<&Switches::tunable_scaling>},
      {"election", {"correct", "inverted"}, Set<&Switches::election>},
      {"idle_rule", {"local_le_busiest_plus_1", "local_lt_busiest"}, Set<&Switches::idle_rule>},
      {"imbalance_small_rule",
       {"below_average", "at_average_or_local_above"},
       Set<&Switches::imbalance_small_rule>},
      {"small_rule_underflow", {"wraps", "none"}, Set<&Switches::small_rule_underflow>},
      {"group_imb_rule", {"spread", "affinity_flag"}, Set<&Switches::group_imb_rule>},
      {"avg_idle_update",
       {"long_idle_sets_cap", "averaged_then_capped"},
       Set<&Switches::avg_idle_update>},
      {"avg_idle_cap", {"fixed_1ms", "twice_max_newidle_cost"}, Set<&Switches::avg_idle_cap>},
      {"newidle_gate",
       {"avg_idle", "avg_idle_and_domain_cost", "none"},
       Set<&Switches::newidle_gate>},
      {"newidle_cost_decay", {"none", "253_of_256_per_second"}, Set<&Switches::newidle_cost_decay>},
      {"nohz_busy_count", {"every_level", "llc_parent"}, Set<&Switches::nohz_busy_count>},
      {"nohz_kick", {"on", "off"}, Set<&Switches::nohz_kick>},
      {"newidle", {"on", "off"}, Set<&Switches::newidle>},
      {"wake_affine", {"on", "off"}, Set<&Switches::wake_affine>},
      {"wake_wide", {"off", "on"}, Set<&Switches::wake_wide>},
      {"wake_idle_search", {"llc_group_prevfirst", "none"}, Set<&Switches::wake_idle_search>},
      {"llc_domain_pointer", {"correct", "parent_of_llc"}, Set<&Switches::llc_domain_pointer>},
      {"cache_hot", {"on", "off"}, Set<&Switches::cache_hot>},
      {"bias_mode", {"history", "none"}, Set<&Switches::bias_mode>},
  };
  return kKnown;
}

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
