#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/cpu_set.h"
#include "sim/histogram.h"

namespace schedlab::sim {

// How far apart two CPUs are.
enum class Distance : std::uint8_t { kSameCpu, kSameCore, kSameLlc, kSameNode, kRemote };
inline constexpr std::size_t kDistanceCount = 5;

// Why a balancing pass runs; the order of version 15 of /proc/schedstat.
enum class IdleType : std::uint8_t { kIdle, kBusy, kNewlyIdle };
inline constexpr std::size_t kIdleTypeCount = 3;

// Of the passes of one idle type, as in a domain line of /proc/schedstat.
struct PassCounters {
  std::int64_t count = 0;
  std::int64_t balanced = 0;
  std::int64_t failed = 0;
  // What was found to be moved, in the units of Linux 6.14: load, utilisation, tasks, misfit tasks.
  std::int64_t imbalance_load = 0;
  std::int64_t imbalance_util = 0;
  std::int64_t imbalance_task = 0;
  std::int64_t imbalance_misfit = 0;
  std::int64_t gained = 0;
  std::int64_t hot_gained = 0;
  std::int64_t no_busy_queue = 0;
  std::int64_t no_busy_group = 0;
  // Passes that gained something; not in schedstat, but the counts add up with it.
  std::int64_t moved_passes = 0;

  void Add(const PassCounters& other);
};

// A line `cpuN` of /proc/schedstat.
struct CpuCounters {
  std::int64_t yields = 0;
  std::int64_t schedules = 0;
  std::int64_t idle_picks = 0;
  std::int64_t wakeups = 0;        // executed by this CPU, as since Linux 3.0
  std::int64_t wakeups_local = 0;  // of these, queued on it
  SimDuration run_time{0};
  SimDuration run_delay{0};
  std::int64_t timeslices = 0;
};

// A line `domainN` of /proc/schedstat, of one CPU.
struct DomainReport {
  std::string name;  // SMT, CLS, MC, PKG or NUMA, as Linux 6.12 calls them
  std::vector<CpuNumber> span;
  std::array<PassCounters, kIdleTypeCount> passes;
  std::int64_t active_count = 0;
  std::int64_t active_failed = 0;
  std::int64_t active_pushed = 0;
  std::int64_t wakeups_remote = 0;
  std::int64_t wakeups_moved_affine = 0;
};

// The text of /proc/schedstat in numbers, at the end of a run.
struct Schedstat {
  struct PerCpu {
    CpuCounters counters;
    std::vector<DomainReport> domains;  // lowest first
  };
  SimTime at;
  std::int64_t tick_hz = 0;
  std::vector<PerCpu> cpus;
};

// What happened in a run, machine-wide.
struct Counters {
  std::int64_t schedule_count = 0;
  std::int64_t goidle_count = 0;
  std::int64_t context_switches = 0;
  std::int64_t wakeups = 0;
  std::int64_t wakeups_local = 0;
  std::int64_t wake_migrations = 0;
  std::int64_t wakeups_moved_affine = 0;
  std::int64_t wakeups_moved_balance = 0;
  std::array<std::int64_t, kDistanceCount> migrations{};  // executed elsewhere than before
  std::int64_t newidle_entries = 0;
  std::int64_t newidle_gated = 0;
  std::int64_t nohz_kicks = 0;
  std::int64_t nohz_kicks_unanswered = 0;  // wanted, but the first CPU of the mask was not idle
  std::int64_t active_balances = 0;
  std::int64_t active_failed = 0;
  std::int64_t active_pushed = 0;
  std::int64_t ipis = 0;
  SimDuration lock_wait{0};
  SimDuration newidle_lock_wait{0};  // of this, in pulls of CPUs that had run dry
  Histogram wakeup_latency;
  Histogram run_delay;
  Histogram slice;  // from a switch to a task until the switch away from it
  SimDuration total_run_delay{0};
};

}  // namespace schedlab::sim
