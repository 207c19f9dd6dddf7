#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/counters.h"
#include "sim/cpu_set.h"
#include "sim/fair/domain_tables.h"
#include "sim/machine.h"

namespace schedlab::sim::fair {

// CPUs that a domain weighs against its other groups as one.
struct Group {
  std::vector<CpuNumber> cpus;  // ascending
  CpuSet set;
  CpuSet balancers;                     // those that may be elected to balance for it
  std::int64_t power = 0;               // 1024 = one undisturbed CPU
  std::int64_t next_power_tick = 0;     // when a newly idle pass measures it again
  bool has_affinity_imbalance = false;  // a pull below failed for want of an allowed CPU
};

// One level as one CPU sees it, with what that CPU remembers about balancing there.
struct Domain {
  DomainParameters parameters;
  std::vector<CpuNumber> span;  // ascending
  CpuSet set;
  std::vector<Group*> groups;      // the local one first, then in order of CPU, wrapping
  std::int64_t own_probes_ns = 0;  // what its CPU pays to look at all of the span

  std::int64_t interval_ms = 1;
  std::int64_t last_balance_tick = 0;
  std::int64_t failed_count = 0;  // passes in a row that moved nothing
  SimDuration max_newidle_cost{0};
  std::int64_t next_decay_tick = 0;

  std::array<PassCounters, kIdleTypeCount> passes;
  std::int64_t active_count = 0;  // active balances that this CPU asked for across this level
  std::int64_t active_failed = 0;
  std::int64_t active_pushed = 0;
  std::int64_t wakeups_remote = 0;  // by this CPU, this level being the lowest with both
  std::int64_t wakeups_moved_affine = 0;
};

// The domains of every CPU, lowest level first. A level that spans no more than the one below it is
// left out.
class Domains {
 public:
  explicit Domains(const Machine& machine, const Switches& switches = {});

  // Builds all domains anew, from these CPUs only. What they have counted stays; what they have
  // learnt (intervals, failures, costs) starts over. Pointers to groups and domains end here.
  void Rebuild(const CpuSet& online);

  std::vector<Domain>& Of(CpuNumber cpu) { return domains_[static_cast<std::size_t>(cpu)]; }
  const std::vector<Domain>& Of(CpuNumber cpu) const {
    return domains_[static_cast<std::size_t>(cpu)];
  }

  // The CPUs that take part in balancing.
  const CpuSet& online() const { return online_; }

  // Of a CPU that no other class and no interrupt uses, and as it was measured last.
  std::int64_t FullPowerOf(CpuNumber cpu) const {
    return full_power_[static_cast<std::size_t>(cpu)];
  }
  std::int64_t PowerOf(CpuNumber cpu) const { return power_[static_cast<std::size_t>(cpu)]; }
  void SetPower(CpuNumber cpu, std::int64_t power) {
    power_[static_cast<std::size_t>(cpu)] = power;
  }

  bool has_unequal_capacities() const { return has_unequal_capacities_; }

  // Index of the highest level of `cpu` that shares a last-level cache; -1 where none spans two.
  int LlcLevel(CpuNumber cpu) const { return llc_levels_[static_cast<std::size_t>(cpu)]; }

  // The lowest domain of `cpu` that holds `other` too; null where none does.
  Domain* LowestWith(CpuNumber cpu, CpuNumber other);

 private:
  class Builder;

  const Machine& machine_;
  const Switches switches_;
  CpuSet online_;
  bool had_removal_ = false;
  bool has_unequal_capacities_ = false;
  std::vector<std::vector<Domain>> domains_;
  std::deque<Group> groups_;  // stable addresses
  std::vector<std::int64_t> full_power_;
  std::vector<std::int64_t> power_;
  std::vector<int> llc_levels_;  // by CPU
};

}  // namespace schedlab::sim::fair
