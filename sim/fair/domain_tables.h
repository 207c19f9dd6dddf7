#pragma once

#include <cstdint>

#include "sim/fair/switches.h"

namespace schedlab::sim::fair {

// kAllNodes lies above kNuma only where the constants are older than Linux 3.5 and the nodes are
// more than one NODE level takes.
enum class Level : std::uint8_t { kSmt, kMc, kCpu, kNuma, kAllNodes };

// What a level of a topology means to the balancer.
struct DomainParameters {
  Level level = Level::kCpu;
  std::int64_t min_interval_ms = 1;
  std::int64_t max_interval_ms = 4;
  std::int64_t busy_factor = 64;
  std::int64_t imbalance_pct = 125;
  std::int64_t cache_nice_tries = 1;
  // Which load history a pass or a placement reads, see SourceLoad().
  std::size_t busy_index = 0;
  std::size_t idle_index = 0;
  std::size_t newidle_index = 0;
  std::size_t wake_index = 0;
  std::size_t fork_index = 0;
  bool shares_core = false;  // its CPUs are threads of one core
  bool shares_llc = false;
  bool prefers_siblings = false;  // spread over this level's siblings before stacking in one
  bool balances_newidle = true;
  bool balances_new_tasks = true;  // takes part in fork and exec placement
  bool attracts_wakeups = true;
  bool balances_wakeups = false;  // passively, see WakeSlowPath
  bool is_serialized = false;     // one CPU of the machine at a time
};

// What a level is among those of its machine.
struct LevelPlace {
  Level level = Level::kCpu;
  std::int64_t cpu_count = 1;          // of the level
  std::int64_t machine_cpu_count = 1;  // of the machine
  std::int32_t node_distance = 10;     // SLIT units, to the farthest node of the level
  bool has_equal_capacities = true;    // the CPUs of the machine
};

DomainParameters ParametersOf(const Switches& switches, const LevelPlace& place);

// Whether the levels above a node follow the distances between nodes one by one.
bool HasLevelPerDistance(DomainConstants constants);

}  // namespace schedlab::sim::fair
