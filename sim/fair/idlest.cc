#include "sim/fair/idlest.h"

#include "sim/fair/idlest_group.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

bool HasAllowed(const Group& group, const Task& task) { return group.set.Intersects(task.allowed); }

LoadReading ReadingFor(const DomainParameters& domain, const IdlestWalk& walk) {
  const std::int64_t percent = 100 + (domain.imbalance_pct - 100) / 2;
  switch (walk.reason) {
    case WalkReason::kNewTask:
      return {domain.fork_index, percent};
    case WalkReason::kWakeup:
      return {domain.wake_index, percent};
  }
  return {};
}

// By load per power alone.
const Group* IdlestByLoad(State& state, const Domain& domain, const Task& task,
                          const IdlestWalk& walk) {
  const LoadReading reading = ReadingFor(domain.parameters, walk);
  const Group* idlest = nullptr;
  std::int64_t idlest_load = 0;
  std::int64_t local_load = 0;
  for (const Group* group : domain.groups) {
    if (!HasAllowed(*group, task)) continue;
    const bool is_local = group == domain.groups.front();
    std::int64_t load = 0;
    state.machine.ChargeProbes(walk.by, group->cpus);
    for (const CpuNumber cpu : group->cpus) {
      load += is_local ? SourceLoad(state, cpu, reading) : TargetLoad(state, cpu, reading);
    }
    load = load * 1024 / group->power;
    if (is_local) {
      local_load = load;
    } else if (idlest == nullptr || load < idlest_load) {
      idlest = group;
      idlest_load = load;
    }
  }
  const std::int64_t percent = 100 + (domain.parameters.imbalance_pct - 100) / 2;
  return idlest == nullptr || 100 * local_load < percent * idlest_load ? nullptr : idlest;
}

// The group to go to; null to stay in the local one.
const Group* IdlestGroup(State& state, const Domain& domain, const Task& task,
                         const IdlestWalk& walk) {
  switch (state.switches.idlest_group_rule) {
    case IdlestGroupRule::kAverageLoad:
      return IdlestByLoad(state, domain, task, walk);
    case IdlestGroupRule::kSpareCapacity:
      return IdlestBySpare(state, domain, task, walk);
    case IdlestGroupRule::kGroupTypes:
      return IdlestByType(state, domain, task, walk);
  }
  return nullptr;
}

CpuNumber LeastLoadedCpu(const State& state, const Group& group, const Task& task, CpuNumber here) {
  CpuNumber idlest = kNoCpu;
  std::int64_t least = 0;
  for (const CpuNumber cpu : group.cpus) {
    if (!task.MayRunOn(cpu)) continue;
    const std::int64_t load = CpuLoad(state, cpu);
    if (idlest == kNoCpu || load < least || (load == least && cpu == here)) {
      idlest = cpu;
      least = load;
    }
  }
  return idlest;
}

// Of the idle ones that which went idle last has its caches warmest.
CpuNumber LatestIdleCpu(const State& state, const Group& group, const Task& task) {
  CpuNumber latest = kNoCpu;
  const auto since = [&](CpuNumber cpu) {
    return state.balance.idle_since[static_cast<std::size_t>(cpu)];
  };
  for (const CpuNumber cpu : group.cpus) {
    if (!task.MayRunOn(cpu) || !IsIdleToWakeups(state, cpu)) continue;
    if (!state.IsIdleCpu(cpu)) return cpu;
    if (latest == kNoCpu || since(cpu) > since(latest)) latest = cpu;
  }
  return latest;
}

CpuNumber IdlestCpu(const State& state, const Group& group, const Task& task, CpuNumber here) {
  switch (state.switches.idlest_cpu_rule) {
    case IdlestCpuRule::kLeastLoad:
      break;
    case IdlestCpuRule::kIdleFirst: {
      const CpuNumber idle = LatestIdleCpu(state, group, task);
      if (idle != kNoCpu) return idle;
      break;
    }
  }
  return LeastLoadedCpu(state, group, task, here);
}

bool TakesPart(const Domain& domain, const IdlestWalk& walk) {
  switch (walk.reason) {
    case WalkReason::kNewTask:
      return domain.parameters.balances_new_tasks;
    case WalkReason::kWakeup:
      return true;
  }
  return false;
}

bool PrefersLocal(PreferLocal rule, const Domain& domain) {
  const Level level = domain.parameters.level;
  switch (rule) {
    case PreferLocal::kOff:
      return false;
    case PreferLocal::kMcAndCpu:
      return level == Level::kMc || level == Level::kCpu;
    case PreferLocal::kNode:
      return level == Level::kNuma;
  }
  return false;
}

// Whether a level that would rather keep its tasks can.
bool HasRoom(State& state, const Domain& domain, CpuNumber by) {
  if (!PrefersLocal(state.switches.prefer_local, domain)) return false;
  std::int64_t power = 0;
  std::int64_t task_count = 0;
  state.machine.ChargeProbes(by, domain.span);
  for (const CpuNumber cpu : domain.span) {
    power += state.domains.PowerOf(cpu);
    task_count += state.TaskCount(cpu);
  }
  return task_count < (power + 512) / 1024;
}

// The highest domain of `cpu` that takes part, below the first that keeps its tasks; -1 for none.
int FirstLevel(State& state, const IdlestWalk& walk) {
  const std::vector<Domain>& domains = state.domains.Of(walk.cpu);
  int found = -1;
  for (std::size_t level = 0; level < domains.size(); ++level) {
    if (HasRoom(state, domains[level], walk.by)) break;
    if (TakesPart(domains[level], walk)) found = static_cast<int>(level);
  }
  return found;
}

// The largest domain of `cpu` that takes part and spans fewer than `size` CPUs; -1 for none.
int LevelBelow(const State& state, CpuNumber cpu, std::size_t size, const IdlestWalk& walk) {
  const std::vector<Domain>& domains = state.domains.Of(cpu);
  int found = -1;
  for (std::size_t level = 0; level < domains.size(); ++level) {
    if (domains[level].span.size() >= size) break;
    if (TakesPart(domains[level], walk)) found = static_cast<int>(level);
  }
  return found;
}

}  // namespace

CpuNumber FindIdlest(State& state, const Task& task, const IdlestWalk& walk) {
  CpuNumber cpu = walk.cpu;
  CpuNumber found = kNoCpu;
  int level = FirstLevel(state, walk);
  while (level >= 0) {
    const Domain& domain = state.domains.Of(cpu)[static_cast<std::size_t>(level)];
    const Group* const group =
        TakesPart(domain, walk) ? IdlestGroup(state, domain, task, walk) : nullptr;
    const CpuNumber idlest = group == nullptr ? kNoCpu : IdlestCpu(state, *group, task, cpu);
    if (idlest != kNoCpu) found = idlest;
    if (idlest == kNoCpu || idlest == cpu) {
      --level;
      continue;
    }
    const std::size_t size = domain.span.size();
    cpu = idlest;
    level = LevelBelow(state, cpu, size, walk);
  }
  return found;
}

}  // namespace schedlab::sim::fair
