#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/counters.h"
#include "sim/cpu_set.h"
#include "sim/machine.h"

namespace schedlab::sim::fair {

// CPUs that a domain weighs against its other groups as one.
struct Group {
  std::vector<CpuNumber> cpus;  // ascending
  CpuSet set;
  std::int64_t power = 0;               // 1024 = one undisturbed CPU
  std::int32_t busy_cpu_count = 0;      // those that are not marked as tickless idle
  bool has_affinity_imbalance = false;  // a pull below failed for want of an allowed CPU
};

enum class Level : std::uint8_t { kSmt, kMc, kCpu, kNuma };

// What a level of a topology means to the balancer: the tables of Linux 3.6 to 3.14. Every level
// balances newly idle CPUs and forks, and attracts wakeups.
struct DomainParameters {
  Level level = Level::kCpu;
  std::int64_t min_interval_ms = 1;
  std::int64_t max_interval_ms = 4;
  std::int64_t busy_factor = 64;
  std::int64_t imbalance_pct = 125;
  std::int64_t cache_nice_tries = 1;
  std::size_t busy_index = 0;  // which load history a pass reads, see SourceLoad()
  std::size_t idle_index = 0;
  bool shares_llc = false;
  bool prefers_siblings = false;  // spread over this level's siblings before stacking in one
};

// One level as one CPU sees it, with what that CPU remembers about balancing there.
struct Domain {
  DomainParameters parameters;
  std::vector<CpuNumber> span;  // ascending
  CpuSet set;
  std::vector<Group*> groups;  // the local one first, then in order of CPU, wrapping

  std::int64_t interval_ms = 1;
  std::int64_t last_balance_tick = 0;
  std::int64_t failed_count = 0;  // passes in a row that moved nothing
  SimDuration max_newidle_cost{0};
  std::int64_t next_decay_tick = 0;
  std::array<PassCounters, kIdleTypeCount> passes;
};

// The domains of every CPU, lowest level first. A level that spans no more than the one below it is
// left out.
class Domains {
 public:
  explicit Domains(const Machine& machine);

  std::vector<Domain>& Of(CpuNumber cpu) { return domains_[static_cast<std::size_t>(cpu)]; }
  const std::vector<Domain>& Of(CpuNumber cpu) const {
    return domains_[static_cast<std::size_t>(cpu)];
  }

  std::int64_t PowerOf(CpuNumber cpu) const { return power_[static_cast<std::size_t>(cpu)]; }

  // Index of the highest level of `cpu` that shares a last-level cache; -1 where none spans two.
  int LlcLevel(CpuNumber cpu) const;

 private:
  struct Builder;

  std::vector<std::vector<Domain>> domains_;
  std::deque<Group> groups_;  // stable addresses
  std::vector<std::int64_t> power_;
};

}  // namespace schedlab::sim::fair
