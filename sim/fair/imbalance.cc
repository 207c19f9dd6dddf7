#include "sim/fair/imbalance.h"

#include <algorithm>
#include <limits>

#include "sim/fair/load.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::uint64_t kFullPower = 1024;

// Moving one task of average size is worth it if more of the machine's power is used afterwards.
bool OneMoveUsesMorePower(const GroupLoad& local, const GroupLoad& busiest,
                          std::uint64_t local_per_task) {
  std::uint64_t used_now = busiest.power * std::min(busiest.per_task, busiest.average) +
                           local.power * std::min(local_per_task, local.average);
  std::uint64_t used_then = 0;
  const std::uint64_t removed = busiest.per_task * kFullPower / busiest.power;
  if (busiest.average > removed) {
    used_then += busiest.power * std::min(busiest.per_task, busiest.average - removed);
  }
  const bool is_less_than_a_task = busiest.average * busiest.power < busiest.per_task * kFullPower;
  const std::uint64_t added = is_less_than_a_task ? busiest.average * busiest.power / local.power
                                                  : busiest.per_task * kFullPower / local.power;
  used_then += local.power * std::min(local_per_task, local.average + added);
  used_now /= kFullPower;
  used_then /= kFullPower;
  return used_then > used_now;
}

// Differences are unsigned in the kernel: with local above busiest the older form takes a negative
// difference for a huge one and moves a task.
bool IsLargeForOneTask(SmallRuleUnderflow rule, const DomainLoad& loads, std::uint64_t scaled,
                       std::uint64_t task_count) {
  switch (rule) {
    case SmallRuleUnderflow::kWraps:
      return loads.busiest.average - loads.local.average + scaled >= scaled * task_count;
    case SmallRuleUnderflow::kNone:
      return loads.busiest.average + scaled >= loads.local.average + scaled * task_count;
  }
  return false;
}

std::uint64_t ScaledPerTask(const State& state, const GroupLoad& busiest) {
  switch (state.switches.imbalance_amount) {
    case ImbalanceAmount::kAboveCapacity:
      return busiest.per_task * kFullPower / busiest.power;
    case ImbalanceAmount::kAboveOneTask:
      return busiest.per_task;
  }
  return 0;
}

// For an imbalance of less than one task: one whole task where that is worth it, else `computed`.
std::int64_t SmallImbalance(const State& state, const Pass& pass, const DomainLoad& loads,
                            std::int64_t computed) {
  std::uint64_t local_per_task = loads.local.per_task;
  std::uint64_t task_count = 2;
  if (loads.local.task_count == 0) {
    local_per_task = static_cast<std::uint64_t>(CpuLoadPerTask(state, pass.cpu));
  } else if (loads.busiest.per_task > local_per_task) {
    task_count = 1;
  }
  const std::uint64_t scaled = ScaledPerTask(state, loads.busiest);
  if (IsLargeForOneTask(state.switches.small_rule_underflow, loads, scaled, task_count) ||
      OneMoveUsesMorePower(loads.local, loads.busiest, local_per_task)) {
    return static_cast<std::int64_t>(loads.busiest.per_task);
  }
  return computed;
}

bool IsSmallFromTheStart(const State& state, const DomainLoad& loads) {
  switch (state.switches.imbalance_small_rule) {
    case ImbalanceSmallRule::kBelowAverage:
      return loads.busiest.average < loads.average;
    case ImbalanceSmallRule::kAtAverageOrLocalAbove:
      return loads.busiest.average <= loads.average || loads.local.average >= loads.average;
  }
  return false;
}

bool IsWithinMargin(const State& state, const Pass& pass, const DomainLoad& loads) {
  // Where the margin is in the load of our own side already, it may count once only.
  const bool has_margin = state.switches.bias_mode != BiasMode::kPctOnce;
  const std::int64_t percent = has_margin ? DomainOf(state, pass).parameters.imbalance_pct : 100;
  return 100 * loads.busiest.average <= static_cast<std::uint64_t>(percent) * loads.local.average;
}

bool IdleLocalHasEnough(const State& state, const Pass& pass, const DomainLoad& loads) {
  if (state.switches.idle_rule == IdleRule::kPctTest) return IsWithinMargin(state, pass, loads);
  const auto weight = static_cast<std::int64_t>(loads.busiest.group->cpus.size());
  const bool asks_type = state.switches.classification == Classification::kTypeThenLoad;
  if (asks_type ? loads.busiest.is_overloaded : loads.busiest.task_count > weight) return false;
  switch (state.switches.idle_rule) {
    case IdleRule::kLocalLeBusiestPlus1:
      return loads.local.idle_cpus <= loads.busiest.idle_cpus + 1;
    case IdleRule::kLocalLtBusiest:
      return loads.local.idle_cpus < loads.busiest.idle_cpus;
    case IdleRule::kPctTest:
      return false;
  }
  return false;
}

// Between room and too much there is a middle where utilisation decides.
bool IsWithoutRoom(const State& state, const GroupLoad& group) {
  if (state.switches.group_capacity == GroupCapacity::kUtilization) return group.is_overloaded;
  return !group.has_room;
}

// Whether nothing else is asked.
bool IsForced(const State& state, const Pass& pass, const DomainLoad& loads) {
  switch (state.switches.local_room_rule) {
    case LocalRoomRule::kNone:
      return false;
    case LocalRoomRule::kForcesNewidle:
      if (loads.busiest.is_imbalanced) return true;
      return pass.idle == IdleType::kNewlyIdle && loads.local.has_room &&
             IsWithoutRoom(state, loads.busiest);
  }
  return false;
}

std::uint64_t PerTaskOf(const DomainLoad& loads) {
  const GroupLoad& busiest = loads.busiest;
  return busiest.is_imbalanced ? std::min(busiest.per_task, loads.average) : busiest.per_task;
}

// Only where no group has idle CPUs is there anything to be kept from becoming idle.
std::uint64_t MostWithoutNewIdleness(const DomainLoad& loads) {
  const GroupLoad& busiest = loads.busiest;
  const std::uint64_t wanted = static_cast<std::uint64_t>(busiest.task_count) * kFullPower;
  const bool limits = busiest.is_overloaded && loads.local.is_overloaded;
  if (!limits || wanted <= busiest.power) return std::numeric_limits<std::uint64_t>::max();
  return (wanted - busiest.power) * kFullPower / busiest.power;
}

// Not so much that tasks of the group would only have to come back.
std::uint64_t MostToRelieve(const State& state, const DomainLoad& loads) {
  const GroupLoad& busiest = loads.busiest;
  switch (state.switches.imbalance_amount) {
    case ImbalanceAmount::kAboveCapacity:
      if (busiest.is_imbalanced) break;
      if (state.switches.classification == Classification::kTypeThenLoad) {
        return MostWithoutNewIdleness(loads);
      }
      return static_cast<std::uint64_t>(busiest.task_count - busiest.capacity) * kFullPower *
             kFullPower / busiest.power;
    case ImbalanceAmount::kAboveOneTask:
      return busiest.average - busiest.per_task;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

bool IsBalanced(const State& state, const Pass& pass, const DomainLoad& loads) {
  if (loads.busiest.group == nullptr || loads.busiest.task_count == 0) return true;
  if (IsForced(state, pass, loads)) return false;
  if (loads.local.average >= loads.busiest.average) return true;
  if (loads.local.average >= loads.average) return true;
  if (pass.idle == IdleType::kIdle) {
    if (IdleLocalHasEnough(state, pass, loads)) return true;
  } else if (IsWithinMargin(state, pass, loads)) {
    return true;
  }
  const bool would_come_back = loads.busiest.average <= PerTaskOf(loads);
  return state.switches.imbalance_amount == ImbalanceAmount::kAboveOneTask && would_come_back;
}

std::int64_t ImbalanceOf(const State& state, const Pass& pass, const DomainLoad& measured) {
  DomainLoad loads = measured;
  GroupLoad& busiest = loads.busiest;
  busiest.per_task = PerTaskOf(loads);
  if (IsSmallFromTheStart(state, loads)) return SmallImbalance(state, pass, loads, 0);

  const std::uint64_t max_pull =
      std::min(busiest.average - loads.average, MostToRelieve(state, loads));
  // Unsigned on purpose: a local group above the average, in a forced pass, sets no limit.
  const std::uint64_t computed =
      std::min(max_pull * busiest.power,
               (loads.average - loads.local.average) * loads.local.power) /
      kFullPower;
  const auto imbalance = static_cast<std::int64_t>(computed);
  return computed < busiest.per_task ? SmallImbalance(state, pass, loads, imbalance) : imbalance;
}

}  // namespace schedlab::sim::fair
