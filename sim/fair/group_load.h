#pragma once

#include <cstdint>

#include "sim/fair/state.h"

namespace schedlab::sim::fair {

// What a pass moves: a load, a utilisation, a number of tasks, or a task that its CPU is too small
// for.
enum class MoveUnit : std::uint8_t { kLoad, kUtil, kTask, kMisfit };

// One balancing pass of one domain on behalf of one CPU.
struct Pass {
  CpuNumber by = 0;   // who executes it, and pays
  CpuNumber cpu = 0;  // who is to gain a task
  std::size_t level = 0;
  IdleType idle = IdleType::kIdle;
  CpuSet candidates;  // CPUs that are still considered
  std::int64_t imbalance = 0;
  MoveUnit unit = MoveUnit::kLoad;  // of the imbalance
  // Of all its visits of queues; a retry goes on counting.
  std::int32_t looked_at = 0;
  std::int32_t break_at = kMaxTasksPerPull;
  std::int32_t break_count = 0;
};

inline Domain& DomainOf(State& state, const Pass& pass) {
  return state.domains.Of(pass.cpu)[pass.level];
}
inline const Domain& DomainOf(const State& state, const Pass& pass) {
  return state.domains.Of(pass.cpu)[pass.level];
}

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
  bool is_overloaded = false;  // has more tasks than it can take, see GroupCapacity::kUtilization
  bool is_imbalanced = false;  // by tasks that may not run everywhere
};

struct DomainLoad {
  GroupLoad local;
  GroupLoad busiest;  // its group is null where none qualifies
  std::uint64_t average = 0;
  bool has_tasks = false;  // any CPU of the domain
};

// Whether the load of a group is just the sum of the average loads of its CPUs.
inline bool GroupLoadIsPlain(const State& state) {
  return state.switches.load_view == LoadView::kPeltAll &&
         state.switches.bias_mode == BiasMode::kNone &&
         state.switches.group_load_measure == GroupLoadMeasure::kAverage;
}
// Its load alone.
std::int64_t GroupLoadSum(const State& state, const Pass& pass, const Group& group, bool is_local);
GroupLoad MeasureGroup(const State& state, const Pass& pass, const Group& group, bool is_local);
DomainLoad MeasureDomain(State& state, const Pass& pass);

// The queue of the busiest group to pull from, or kNoCpu.
CpuNumber BusiestQueue(const State& state, const Pass& pass, const Group& group);

}  // namespace schedlab::sim::fair
