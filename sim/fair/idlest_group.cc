#include "sim/fair/idlest_group.h"

#include <algorithm>
#include <cstdlib>

#include "sim/fair/group_types.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kFullPower = 1024;

// What a task that calls exec adds here already is not to count.
bool IsCounted(const Task& task, CpuNumber cpu) { return task.fair.is_queued && task.cpu == cpu; }

std::int64_t UtilWithout(const State& state, const Task& task, CpuNumber cpu) {
  const std::int64_t own = task.fair.counted_in == &state.Queue(cpu).root ? TaskUtil(task) : 0;
  return std::max<std::int64_t>(0, std::min(CpuUtil(state, cpu), kFullPower) - own);
}

struct SpareView {
  const Group* group = nullptr;
  std::int64_t spare = 0;         // of its CPU with most
  std::int64_t live_load = 0;     // per power
  std::int64_t average_load = 0;  // likewise, of a view
};

SpareView ViewSpare(State& state, const Group& group, const Task& task, const IdlestWalk& walk,
                    bool is_local, const LoadReading& reading) {
  SpareView view{.group = &group};
  state.machine.ChargeProbes(walk.by, group.cpus);
  for (const CpuNumber cpu : group.cpus) {
    view.live_load += CpuLoad(state, cpu);
    view.average_load +=
        is_local ? SourceLoad(state, cpu, reading) : TargetLoad(state, cpu, reading);
    const std::int64_t spare = state.domains.PowerOf(cpu) - UtilWithout(state, task, cpu);
    view.spare = std::max(view.spare, spare);
  }
  view.live_load = view.live_load * kFullPower / group.power;
  view.average_load = view.average_load * kFullPower / group.power;
  return view;
}

// Whether `view` has so much less that it is not chance.
bool IsLower(const SpareView& view, const SpareView& than, std::int64_t slack,
             std::int64_t percent) {
  if (view.live_load + slack < than.live_load) return true;
  return view.live_load <= than.live_load + slack &&
         100 * than.average_load > percent * view.average_load;
}

struct TypeView {
  const Group* group = nullptr;
  GroupFacts facts{};
  GroupType type = GroupType::kHasSpare;
  std::int64_t average = 0;  // load per power
  std::int64_t idle_cpus = 0;
};

TypeView ViewType(State& state, const Domain& domain, const Group& group, const Task& task,
                  const IdlestWalk& walk) {
  TypeView view{.group = &group};
  std::int64_t load = 0;
  state.machine.ChargeProbes(walk.by, group.cpus);
  const FactsReader reader(state);
  for (const CpuNumber cpu : group.cpus) {
    const bool is_counted = IsCounted(task, cpu);
    reader.Add(cpu, view.facts);
    if (is_counted) --view.facts.running_count;
    load += CpuLoad(state, cpu) - (is_counted ? TaskLoad(state, task) : 0);
    const bool is_idle = is_counted ? state.RunnableCount(cpu) == 1 : state.IsIdleCpu(cpu);
    view.idle_cpus += is_idle ? 1 : 0;
  }
  view.facts.cpu_count = static_cast<std::int64_t>(group.cpus.size());
  view.facts.power = group.power;
  view.facts.misfit_load = 0;
  view.facts.is_imbalanced = group.has_affinity_imbalance;
  view.type = TypeOf(state, view.facts, domain.parameters.imbalance_pct);
  view.average = load * kFullPower / group.power;
  return view;
}

bool IsIdler(const TypeView& view, const TypeView& than) {
  if (view.type != than.type) return view.type < than.type;
  switch (view.type) {
    case GroupType::kOverloaded:
    case GroupType::kFullyBusy:
      return view.average < than.average;
    case GroupType::kHasSpare:
      if (view.idle_cpus != than.idle_cpus) return view.idle_cpus > than.idle_cpus;
      return view.facts.util < than.facts.util;
    case GroupType::kMisfit:
    case GroupType::kImbalanced:
      return false;
  }
  return false;
}

bool IsNearEnough(const Domain& domain, const TypeView& local, const TypeView& idlest) {
  const std::int64_t percent = domain.parameters.imbalance_pct;
  const std::int64_t slack = kFullPower * (percent - 100) / 100;
  if (domain.parameters.level >= Level::kNuma && idlest.average + slack >= local.average) {
    return true;
  }
  return idlest.average >= local.average + slack || 100 * local.average <= percent * idlest.average;
}

bool HasEnoughIdle(const State& state, const Domain& domain, const IdlestWalk& walk,
                   const TypeView& local, const TypeView& idlest) {
  const std::int64_t local_count = local.facts.running_count;
  if (NumaAllows(state, {.cpu = walk.cpu,
                         .domain = &domain,
                         .imbalance = std::abs(local.idle_cpus - idlest.idle_cpus),
                         .arriving_count = local_count + 1,
                         .busiest_count = local_count,
                         .busiest_cpu_count = local.facts.cpu_count})) {
    return true;
  }
  return local.idle_cpus >= idlest.idle_cpus;
}

bool Stays(const State& state, const Domain& domain, const IdlestWalk& walk, const TypeView& local,
           const TypeView& idlest) {
  if (local.type != idlest.type) return local.type < idlest.type;
  switch (local.type) {
    case GroupType::kOverloaded:
    case GroupType::kFullyBusy:
      return IsNearEnough(domain, local, idlest);
    case GroupType::kHasSpare:
      return HasEnoughIdle(state, domain, walk, local, idlest);
    case GroupType::kMisfit:
    case GroupType::kImbalanced:
      return false;
  }
  return false;
}

// The answer of spare capacity, where it has one.
bool DecidesBySpare(const SpareView& local, const SpareView& roomiest, std::int64_t need,
                    std::int64_t percent, const Group*& answer) {
  answer = nullptr;
  if (local.spare > need && percent * local.spare > 100 * roomiest.spare) return true;
  answer = roomiest.group;
  return roomiest.group != nullptr && roomiest.spare > need;
}

}  // namespace

const Group* IdlestBySpare(State& state, const Domain& domain, const Task& task,
                           const IdlestWalk& walk) {
  const std::int64_t percent = 100 + (domain.parameters.imbalance_pct - 100) / 2;
  const std::int64_t slack = kFullPower * (domain.parameters.imbalance_pct - 100) / 100;
  const std::size_t history = walk.reason == WalkReason::kNewTask ? domain.parameters.fork_index
                                                                  : domain.parameters.wake_index;
  SpareView local;
  SpareView idlest;
  SpareView roomiest;
  for (const Group* group : domain.groups) {
    if (!group->set.Intersects(task.allowed)) continue;
    const bool is_local = group == domain.groups.front();
    const SpareView view = ViewSpare(state, *group, task, walk, is_local, {history, percent});
    if (is_local) {
      local = view;
      continue;
    }
    if (roomiest.group == nullptr || view.spare > roomiest.spare) roomiest = view;
    if (idlest.group == nullptr || IsLower(view, idlest, slack, percent)) idlest = view;
  }
  // A task that has not run yet has no utilisation to fit in.
  const bool is_new = walk.reason == WalkReason::kNewTask && !task.fair.is_queued;
  const Group* answer = nullptr;
  const bool is_decided =
      !is_new && DecidesBySpare(local, roomiest, TaskUtil(task) / 2, percent, answer);
  if (is_decided) return answer;
  if (idlest.group == nullptr || idlest.live_load > local.live_load + slack) return nullptr;
  const bool is_within = local.live_load < idlest.live_load + slack;
  const bool is_lower = 100 * local.average_load < percent * idlest.average_load;
  return is_within && is_lower ? nullptr : idlest.group;
}

const Group* IdlestByType(State& state, const Domain& domain, const Task& task,
                          const IdlestWalk& walk) {
  TypeView local;
  TypeView idlest;
  for (const Group* group : domain.groups) {
    if (!group->set.Intersects(task.allowed)) continue;
    const TypeView view = ViewType(state, domain, *group, task, walk);
    if (group == domain.groups.front()) {
      local = view;
    } else if (idlest.group == nullptr || IsIdler(view, idlest)) {
      idlest = view;
    }
  }
  if (idlest.group == nullptr) return nullptr;
  if (local.group == nullptr) return idlest.group;
  return Stays(state, domain, walk, local, idlest) ? nullptr : idlest.group;
}

}  // namespace schedlab::sim::fair
