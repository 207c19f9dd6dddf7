#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy_spec.h"
#include "core/result.h"
#include "sim/linux/higher_classes.h"

namespace schedlab::sim::fair {

// In each enumeration the first value is the default: the scheduler of Linux 3.11.
enum class TunableScaling : std::uint8_t { kLogCap8, kLogUncapped, kNone };
enum class Election : std::uint8_t { kCorrect, kInverted };
enum class IdleRule : std::uint8_t { kLocalLeBusiestPlus1, kLocalLtBusiest };
enum class ImbalanceSmallRule : std::uint8_t { kBelowAverage, kAtAverageOrLocalAbove };
enum class SmallRuleUnderflow : std::uint8_t { kWraps, kNone };
enum class GroupImbRule : std::uint8_t { kSpread, kAffinityFlag };
enum class AvgIdleUpdate : std::uint8_t { kLongIdleSetsCap, kAveragedThenCapped };
enum class AvgIdleCap : std::uint8_t { kFixed1ms, kTwiceMaxNewidleCost };
enum class NewidleGate : std::uint8_t { kAvgIdle, kAvgIdleAndDomainCost, kNone };
enum class NewidleCostDecay : std::uint8_t { kNone, k253Of256PerSecond };
enum class NohzBusyCount : std::uint8_t { kEveryLevel, kLlcParent };
enum class OnOff : std::uint8_t { kOn, kOff };
enum class OffOn : std::uint8_t { kOff, kOn };
enum class WakeIdleSearch : std::uint8_t { kLlcGroupPrevfirst, kNone };
enum class LlcDomainPointer : std::uint8_t { kCorrect, kParentOfLlc };
enum class BiasMode : std::uint8_t { kHistory, kNone };

// What revisions of the Linux fair class differ in, plus what can be taken out to see what it does.
struct Switches {
  linux::CapacityModel capacity_model{};
  TunableScaling tunable_scaling{};
  Election election{};
  IdleRule idle_rule{};
  ImbalanceSmallRule imbalance_small_rule{};
  SmallRuleUnderflow small_rule_underflow{};
  GroupImbRule group_imb_rule{};
  AvgIdleUpdate avg_idle_update{};
  AvgIdleCap avg_idle_cap{};
  NewidleGate newidle_gate{};
  NewidleCostDecay newidle_cost_decay{};
  NohzBusyCount nohz_busy_count{};
  OnOff nohz_kick{};
  OnOff newidle{};
  OnOff wake_affine{};
  OffOn wake_wide{};
  WakeIdleSearch wake_idle_search{};
  LlcDomainPointer llc_domain_pointer{};
  OnOff cache_hot{};
  BiasMode bias_mode{};
};

// A switch as a PolicySpec names it. values[0] is the default.
struct KnownSwitch {
  std::string_view name;
  std::vector<std::string_view> values;
  void (*set)(Switches& switches, std::size_t value_index);
};

// Every switch that there is.
std::span<const KnownSwitch> KnownSwitches();

// kInvalidArgument with the known names where a switch or a value is unknown.
Result<Switches> ParseSwitches(const PolicySpec& spec);

}  // namespace schedlab::sim::fair
