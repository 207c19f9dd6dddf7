#pragma once

#include <cstdint>
#include <vector>

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// One balancing pass of one domain on behalf of one CPU.
struct Pass {
  CpuNumber by = 0;   // who executes it, and pays
  CpuNumber cpu = 0;  // who is to gain a task
  std::size_t level = 0;
  IdleType idle = IdleType::kIdle;
  CpuSet candidates;  // CPUs that are still considered
  std::int64_t imbalance = 0;
};

// What a pass knows about a group. Loads are scaled to the group's power.
struct GroupLoad {
  const Group* group = nullptr;
  std::uint64_t average = 0;
  std::uint64_t per_task = 0;
  std::uint64_t power = 0;
  std::int64_t load = 0;
  std::int64_t task_count = 0;
  std::int64_t capacity = 0;  // in tasks; clipped where siblings are preferred
  bool has_room = false;      // by the capacity before it was clipped
  std::int64_t idle_cpus = 0;
  bool is_imbalanced = false;  // by tasks that may not run everywhere
};

struct DomainLoad {
  GroupLoad local;
  GroupLoad busiest;  // its group is null where none qualifies
  std::uint64_t average = 0;
};

DomainLoad MeasureDomain(State& state, const Pass& pass);

// Whether the measured loads call for no move, by the rules of 3.11 to 3.13; and how much load to
// move where they do call for one, 0 where nothing can be gained.
bool IsBalanced(const State& state, const Pass& pass, const DomainLoad& loads);
std::int64_t ImbalanceOf(const State& state, const Pass& pass, const DomainLoad& measured);

// The queue of the busiest group to pull from, or kNoCpu.
CpuNumber BusiestQueue(const State& state, const Pass& pass, const Group& group);

}  // namespace schedlab::sim::fair
