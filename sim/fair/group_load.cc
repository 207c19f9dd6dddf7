#include "sim/fair/group_load.h"

#include <algorithm>
#include <limits>

#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::uint64_t kFullPower = 1024;

// Whether some CPUs of the group hold much more than others, which a mere average hides.
struct Spread {
  std::int64_t max_load = 0;
  std::int64_t min_load = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_count = 0;
  std::int64_t min_count = std::numeric_limits<std::int64_t>::max();
  std::int64_t count_at_max_load = 0;
  std::int64_t task_loads = 0;  // sum over CPUs of their mean task load

  void Add(std::int64_t load, std::int64_t count, std::int64_t per_task) {
    task_loads += per_task;
    if (load > max_load) count_at_max_load = count;
    max_load = std::max(max_load, load);
    min_load = std::min(min_load, load);
    max_count = std::max(max_count, count);
    min_count = std::min(min_count, count);
  }
  bool IsUneven(std::int64_t per_task) const {
    return max_load - min_load >= per_task && max_count - min_count > 1;
  }
};

bool IsImbalanced(const State& state, const Group& group, const Spread& spread,
                  std::int64_t per_task) {
  const std::int64_t difference = spread.max_count > 0 ? spread.max_load - spread.min_load : 0;
  switch (state.switches.group_imb_rule) {
    case GroupImbRule::kSpread:
      return spread.max_count > 0 && spread.IsUneven(per_task);
    case GroupImbRule::kAffinityFlag:
      return group.has_affinity_imbalance;
    case GroupImbRule::kPowerScaledSpread:
      return difference > 2 * (spread.task_loads * 1024 / group.power);
    case GroupImbRule::kTaskSpread:
      return difference >= per_task && spread.count_at_max_load > 1;
  }
  return false;
}

std::size_t HistoryIndex(const Domain& domain, IdleType idle) {
  switch (idle) {
    case IdleType::kBusy:
      return domain.parameters.busy_index;
    case IdleType::kIdle:
      return domain.parameters.idle_index;
    case IdleType::kNewlyIdle:
      return 0;
  }
  return 0;
}

GroupLoad MeasureGroup(const State& state, const Pass& pass, const Group& group, bool is_local) {
  const Domain& domain = state.domains.Of(pass.cpu)[pass.level];
  const std::size_t index = HistoryIndex(domain, pass.idle);
  GroupLoad result{.group = &group, .power = static_cast<std::uint64_t>(group.power)};
  std::int64_t live_load = 0;
  Spread spread;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const std::int64_t load =
        is_local ? TargetLoad(state, cpu, index) : SourceLoad(state, cpu, index);
    result.load += load;
    result.task_count += CpuTaskCount(state, cpu);
    live_load += CpuLoad(state, cpu);
    result.idle_cpus += state.IsIdleCpu(cpu) ? 1 : 0;
    if (!is_local) spread.Add(load, CpuTaskCount(state, cpu), CpuLoadPerTask(state, cpu));
  }
  result.average = static_cast<std::uint64_t>(result.load) * kFullPower / result.power;
  const std::int64_t per_task = result.task_count > 0 ? live_load / result.task_count : 0;
  result.per_task = static_cast<std::uint64_t>(per_task);
  result.is_imbalanced = IsImbalanced(state, group, spread, per_task);
  const auto rounded = static_cast<std::int64_t>((result.power + kFullPower / 2) / kFullPower);
  result.capacity = std::max<std::int64_t>(1, rounded);
  result.has_room = result.capacity > result.task_count;
  return result;
}

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
  const std::uint64_t scaled = loads.busiest.per_task * kFullPower / loads.busiest.power;
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
  const auto percent =
      static_cast<std::uint64_t>(state.domains.Of(pass.cpu)[pass.level].parameters.imbalance_pct);
  return 100 * loads.busiest.average <= percent * loads.local.average;
}

bool IdleLocalHasEnough(const State& state, const Pass& pass, const DomainLoad& loads) {
  if (state.switches.idle_rule == IdleRule::kPctTest) return IsWithinMargin(state, pass, loads);
  const auto weight = static_cast<std::int64_t>(loads.busiest.group->cpus.size());
  if (loads.busiest.task_count > weight) return false;
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

}  // namespace

DomainLoad MeasureDomain(State& state, const Pass& pass) {
  const std::vector<Domain>& domains = state.domains.Of(pass.cpu);
  const Domain& domain = domains[pass.level];
  const bool spreads = pass.level > 0 && domains[pass.level - 1].parameters.prefers_siblings;
  DomainLoad result;
  std::uint64_t total_load = 0;
  std::uint64_t total_power = 0;
  for (const Group* group : domain.groups) {
    const bool is_local = group == domain.groups.front();
    GroupLoad load = MeasureGroup(state, pass, *group, is_local);
    total_load += static_cast<std::uint64_t>(load.load);
    total_power += load.power;
    if (is_local) {
      result.local = load;
      continue;
    }
    if (spreads && result.local.has_room) load.capacity = std::min<std::int64_t>(1, load.capacity);
    const bool qualifies = load.task_count > load.capacity || load.is_imbalanced;
    if (qualifies && load.average > result.busiest.average) result.busiest = load;
  }
  result.average = total_load * kFullPower / total_power;
  return result;
}

bool IsBalanced(const State& state, const Pass& pass, const DomainLoad& loads) {
  if (loads.busiest.group == nullptr || loads.busiest.task_count == 0) return true;
  const bool is_forced = state.switches.local_room_rule == LocalRoomRule::kForcesNewidle;
  if (loads.busiest.is_imbalanced && is_forced) return false;
  if (pass.idle == IdleType::kNewlyIdle && loads.local.has_room && !loads.busiest.has_room) {
    return false;
  }
  if (loads.local.average >= loads.busiest.average) return true;
  if (loads.local.average >= loads.average) return true;
  if (pass.idle == IdleType::kIdle) return IdleLocalHasEnough(state, pass, loads);
  return IsWithinMargin(state, pass, loads);
}

std::int64_t ImbalanceOf(const State& state, const Pass& pass, const DomainLoad& measured) {
  DomainLoad loads = measured;
  GroupLoad& busiest = loads.busiest;
  if (busiest.is_imbalanced) busiest.per_task = std::min(busiest.per_task, loads.average);
  if (IsSmallFromTheStart(state, loads)) return SmallImbalance(state, pass, loads, 0);

  // Not below the capacity of the group: its tasks would only have to come back.
  std::uint64_t above_capacity = std::numeric_limits<std::uint64_t>::max();
  if (!busiest.is_imbalanced) {
    above_capacity = static_cast<std::uint64_t>(busiest.task_count - busiest.capacity) *
                     kFullPower * kFullPower / busiest.power;
  }
  const std::uint64_t max_pull = std::min(busiest.average - loads.average, above_capacity);
  // Unsigned on purpose: a local group above the average, in a forced pass, sets no limit.
  const std::uint64_t computed =
      std::min(max_pull * busiest.power,
               (loads.average - loads.local.average) * loads.local.power) /
      kFullPower;
  const auto imbalance = static_cast<std::int64_t>(computed);
  return computed < busiest.per_task ? SmallImbalance(state, pass, loads, imbalance) : imbalance;
}

CpuNumber BusiestQueue(const State& state, const Pass& pass, const Group& group) {
  CpuNumber busiest = kNoCpu;
  std::int64_t busiest_load = 0;
  std::int64_t busiest_power = 1;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const RunQueue& queue = state.Queue(cpu);
    const std::int64_t power = state.domains.PowerOf(cpu);
    const bool has_full_capacity = power >= static_cast<std::int64_t>(kFullPower) / 2;
    const std::int64_t load = CpuLoad(state, cpu);
    if (has_full_capacity && queue.task_count == 1 && load > pass.imbalance) continue;
    if (load * busiest_power > busiest_load * power) {
      busiest = cpu;
      busiest_load = load;
      busiest_power = power;
    }
  }
  return busiest;
}

}  // namespace schedlab::sim::fair
