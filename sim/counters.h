#pragma once

#include <array>
#include <cstdint>

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
  std::int64_t gained = 0;
  // Passes that gained something; not in schedstat, but the counts add up with it.
  std::int64_t moved_passes = 0;

  void Add(const PassCounters& other);
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
  Histogram wakeup_latency;
  Histogram run_delay;
  SimDuration total_run_delay{0};
};

}  // namespace schedlab::sim
