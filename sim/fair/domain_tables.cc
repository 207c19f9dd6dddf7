#include "sim/fair/domain_tables.h"

namespace schedlab::sim::fair {
namespace {

// Beyond so many SLIT units nodes are too far apart to hand tasks over at will (RECLAIM_DISTANCE).
constexpr std::int32_t kNearNodeDistance = 30;

bool IsNumaLevel(Level level) { return level == Level::kNuma || level == Level::kAllNodes; }

DomainParameters Traits(const LevelPlace& place) {
  return {.level = place.level,
          .shares_core = place.level == Level::kSmt,
          .shares_llc = place.level == Level::kSmt || place.level == Level::kMc,
          .is_serialized = IsNumaLevel(place.level)};
}

// SMT, MC and CPU of all kernels before 3.15.
DomainParameters OlderParameters(const LevelPlace& place) {
  DomainParameters result = Traits(place);
  switch (place.level) {
    case Level::kSmt:
      result.max_interval_ms = 2;
      result.imbalance_pct = 110;
      result.cache_nice_tries = 0;
      break;
    case Level::kMc:
      result.busy_index = 2;
      break;
    case Level::kCpu:
      result.busy_index = 2;
      result.idle_index = 1;
      break;
    case Level::kNuma:
      result.busy_factor = 32;
      result.cache_nice_tries = 2;
      result.busy_index = 3;
      result.idle_index = 2;
      break;
    case Level::kAllNodes:
      result.min_interval_ms = 64;
      result.max_interval_ms = 64 * place.machine_cpu_count;
      result.busy_factor = 128;
      result.imbalance_pct = 133;
      result.busy_index = 3;
      result.idle_index = 3;
      result.balances_new_tasks = false;
      result.attracts_wakeups = false;
      break;
  }
  return result;
}

DomainParameters From36(const LevelPlace& place) {
  DomainParameters result = OlderParameters(place);
  if (IsNumaLevel(place.level)) {
    result.min_interval_ms = place.cpu_count;
    result.max_interval_ms = 2 * place.cpu_count;
  }
  return result;
}

DomainParameters From2632(const LevelPlace& place) {
  DomainParameters result = OlderParameters(place);
  if (place.level == Level::kNuma) {
    result.min_interval_ms = 8;
    result.max_interval_ms = 32;
  }
  return result;
}

DomainParameters From2631(const LevelPlace& place) {
  DomainParameters result = From2632(place);
  switch (place.level) {
    case Level::kMc:
      result.wake_index = 1;
      result.fork_index = 1;
      break;
    case Level::kCpu:
    case Level::kNuma:
      result.newidle_index = 2;
      result.wake_index = 1;
      result.fork_index = 1;
      break;
    case Level::kSmt:
    case Level::kAllNodes:
      break;
  }
  result.balances_wakeups = place.level != Level::kSmt && place.level != Level::kAllNodes;
  return result;
}

// One formula for every level, which its kind then adjusts.
DomainParameters Uniform(const LevelPlace& place, std::int64_t busy_factor, std::int64_t percent) {
  DomainParameters result = Traits(place);
  result.min_interval_ms = place.cpu_count;
  result.max_interval_ms = 2 * place.cpu_count;
  result.busy_factor = busy_factor;
  result.imbalance_pct = percent;
  switch (place.level) {
    case Level::kSmt:
      result.imbalance_pct = 110;
      result.cache_nice_tries = 0;
      break;
    case Level::kMc:
      result.imbalance_pct = 117;
      break;
    case Level::kCpu:
      break;
    case Level::kNuma:
    case Level::kAllNodes:
      result.cache_nice_tries = 2;
      result.balances_new_tasks = place.node_distance <= kNearNodeDistance;
      result.attracts_wakeups = place.node_distance <= kNearNodeDistance;
      break;
  }
  return result;
}

DomainParameters From316(const LevelPlace& place) {
  DomainParameters result = Uniform(place, 32, 125);
  switch (place.level) {
    case Level::kSmt:
      break;
    case Level::kMc:
      result.busy_index = 2;
      break;
    case Level::kCpu:
      result.busy_index = 2;
      result.idle_index = 1;
      break;
    case Level::kNuma:
    case Level::kAllNodes:
      result.busy_index = 3;
      result.idle_index = 2;
      break;
  }
  return result;
}

DomainParameters Constants(DomainConstants constants, const LevelPlace& place) {
  switch (constants) {
    case DomainConstants::kFrom36:
      return From36(place);
    case DomainConstants::kFrom2631:
      return From2631(place);
    case DomainConstants::kFrom2632:
      return From2632(place);
    case DomainConstants::kFrom316:
      return From316(place);
    case DomainConstants::kFrom510:
      return Uniform(place, 16, 117);
  }
  return {};
}

bool PrefersSiblings(PreferSibling rule, const LevelPlace& place) {
  switch (rule) {
    case PreferSibling::kCpuLevel:
      return place.level == Level::kCpu;
    case PreferSibling::kNone:
      return false;
    case PreferSibling::kMcAndCpu:
      return place.level == Level::kMc || place.level == Level::kCpu;
    case PreferSibling::kSmtAndCpu:
      return place.level == Level::kSmt || place.level == Level::kCpu;
    case PreferSibling::kAllButNuma:
      return !IsNumaLevel(place.level) && place.has_equal_capacities;
  }
  return false;
}

}  // namespace

DomainParameters ParametersOf(const Switches& switches, const LevelPlace& place) {
  DomainParameters result = Constants(switches.domain_constants, place);
  result.prefers_siblings = PrefersSiblings(switches.prefer_sibling, place);
  switch (switches.newidle_levels) {
    case NewidleLevels::kAll:
      break;
    case NewidleLevels::kSmtAndAllnodes:
      result.balances_newidle = place.level == Level::kSmt || place.level == Level::kAllNodes;
      break;
  }
  return result;
}

bool HasLevelPerDistance(DomainConstants constants) {
  switch (constants) {
    case DomainConstants::kFrom2631:
    case DomainConstants::kFrom2632:
      return false;
    case DomainConstants::kFrom36:
    case DomainConstants::kFrom316:
    case DomainConstants::kFrom510:
      return true;
  }
  return true;
}

}  // namespace schedlab::sim::fair
