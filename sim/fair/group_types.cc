#include "sim/fair/group_types.h"

#include <algorithm>

#include "sim/fair/load.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kFullPower = 1024;
// A task fits while it leaves a fifth of its CPU (1024 of 1280).
constexpr std::int64_t kFitMargin = 1280;
// A CPU is larger than another if it has a twentieth more.
constexpr std::int64_t kLargerMargin = 1078;
constexpr std::int64_t kNumaFreeTasks = 2;

// What a pass knows about a group.
struct TypedGroup {
  GroupLoad load;
  GroupFacts facts;
  GroupType type = GroupType::kHasSpare;
  std::uint64_t average = 0;  // of overloaded groups, of the local one where it is needed
};

struct TypedDomain {
  TypedGroup local;
  TypedGroup busiest;  // its group is null where none qualifies
  std::uint64_t average = 0;
  bool has_tasks = false;
};

bool CountsRunnable(const State& state) {
  switch (state.switches.classification) {
    case Classification::kGroupTypesRunnable:
    case Classification::kGroupTypesLocalAverage:
      return true;
    case Classification::kAverageLoad:
    case Classification::kTypeThenLoad:
    case Classification::kGroupTypes:
      return false;
  }
  return false;
}

TypedGroup Measure(const State& state, const Pass& pass, const Group& group, bool is_local) {
  TypedGroup result;
  result.load = MeasureGroup(state, pass, group, is_local, &result.facts);
  result.facts.cpu_count = static_cast<std::int64_t>(group.cpus.size());
  result.facts.power = group.power;
  result.facts.is_imbalanced = result.load.is_imbalanced;
  result.type = TypeOf(state, result.facts, DomainOf(state, pass).parameters.imbalance_pct);
  if (result.type == GroupType::kOverloaded) result.average = result.load.average;
  return result;
}

std::int64_t LargestPower(const State& state, const Group& group) {
  std::int64_t largest = 0;
  for (const CpuNumber cpu : group.cpus) largest = std::max(largest, state.domains.PowerOf(cpu));
  return largest;
}

// A misfit task is not to come to a CPU that is no larger, nor to a group without room.
bool MayHelp(const State& state, const Pass& pass, const TypedGroup& group,
             const TypedGroup& local) {
  if (group.type != GroupType::kMisfit) return true;
  const std::int64_t largest = LargestPower(state, *group.load.group);
  const bool is_larger = state.domains.PowerOf(pass.cpu) * kFullPower > largest * kLargerMargin;
  return is_larger && local.type == GroupType::kHasSpare;
}

// Whether `group` is to be relieved rather than `busiest`.
bool IsBusier(const TypedGroup& group, const TypedGroup& busiest) {
  if (busiest.load.group == nullptr) return true;
  if (group.type != busiest.type) return group.type > busiest.type;
  switch (group.type) {
    case GroupType::kOverloaded:
      return group.average > busiest.average;
    case GroupType::kMisfit:
      return group.facts.misfit_load > busiest.facts.misfit_load;
    case GroupType::kImbalanced:
    case GroupType::kFullyBusy:
      return false;
    case GroupType::kHasSpare:
      if (group.load.idle_cpus != busiest.load.idle_cpus) {
        return group.load.idle_cpus < busiest.load.idle_cpus;
      }
      return group.facts.running_count > busiest.facts.running_count;
  }
  return false;
}

TypedDomain MeasureTypes(State& state, const Pass& pass) {
  TypedDomain result;
  std::uint64_t total_load = 0;
  std::uint64_t total_power = 0;
  for (const Group* group : DomainOf(state, pass).groups) {
    const bool is_local = group->set.Contains(pass.cpu);
    const TypedGroup measured = Measure(state, pass, *group, is_local);
    total_load += static_cast<std::uint64_t>(measured.load.load);
    total_power += measured.load.power;
    result.has_tasks = result.has_tasks || measured.load.task_count > 0;
    if (is_local) {
      result.local = measured;
    } else if (measured.load.task_count > 0 && MayHelp(state, pass, measured, result.local) &&
               IsBusier(measured, result.busiest)) {
      result.busiest = measured;
    }
  }
  result.average = total_load * kFullPower / total_power;
  return result;
}

bool PrefersSiblings(const State& state, const Pass& pass) {
  return pass.level > 0 && state.domains.Of(pass.cpu)[pass.level - 1].parameters.prefers_siblings;
}

// Where both have too much.
bool IsAsLoaded(const TypedDomain& domain, std::int64_t percent) {
  const std::uint64_t local = domain.local.average;
  const std::uint64_t busiest = domain.busiest.average;
  return local >= busiest || local >= domain.average ||
         100 * busiest <= static_cast<std::uint64_t>(percent) * local;
}

bool IsBalancedByTypes(const State& state, const Pass& pass, const TypedDomain& domain) {
  const TypedGroup& local = domain.local;
  const TypedGroup& busiest = domain.busiest;
  if (busiest.load.group == nullptr) return true;
  if (busiest.type == GroupType::kMisfit || busiest.type == GroupType::kImbalanced) return false;
  if (local.type > busiest.type) return true;
  if (local.type == GroupType::kOverloaded) {
    return IsAsLoaded(domain, DomainOf(state, pass).parameters.imbalance_pct);
  }
  const bool has_more = busiest.facts.running_count > local.facts.running_count + 1;
  if (PrefersSiblings(state, pass) && local.type == GroupType::kHasSpare && has_more) return false;
  if (busiest.type == GroupType::kOverloaded) return false;
  if (pass.idle == IdleType::kBusy) return true;
  const bool is_single = busiest.facts.cpu_count == 1;
  if (!is_single && local.load.idle_cpus <= busiest.load.idle_cpus + 1) return true;
  return busiest.load.task_count == 1;
}

void PlanTasks(const State& state, const Pass& pass, const TypedDomain& domain, TypedPlan& plan) {
  const TypedGroup& local = domain.local;
  const TypedGroup& busiest = domain.busiest;
  const bool counts_tasks = busiest.facts.cpu_count == 1 || PrefersSiblings(state, pass);
  const std::int64_t difference = counts_tasks
                                      ? busiest.facts.running_count - local.facts.running_count
                                      : local.load.idle_cpus - busiest.load.idle_cpus;
  plan.unit = MoveUnit::kTask;
  plan.imbalance = std::max<std::int64_t>(0, difference);
  const bool is_allowed = NumaAllows(state, {.cpu = pass.cpu,
                                             .domain = &DomainOf(state, pass),
                                             .imbalance = plan.imbalance,
                                             .arriving_count = local.facts.running_count + 1,
                                             .busiest_count = busiest.facts.running_count,
                                             .busiest_cpu_count = busiest.facts.cpu_count});
  plan.imbalance = is_allowed ? 0 : plan.imbalance / 2;
}

// Where the local group has room. Within a cache tasks are spread by their number.
void PlanFilling(const State& state, const Pass& pass, const TypedDomain& domain, TypedPlan& plan) {
  const bool is_far = !DomainOf(state, pass).parameters.shares_llc;
  if (domain.busiest.type <= GroupType::kFullyBusy || !is_far) {
    PlanTasks(state, pass, domain, plan);
    return;
  }
  const GroupFacts& local = domain.local.facts;
  plan.unit = MoveUnit::kUtil;
  plan.imbalance = std::max(local.power, local.util) - local.util;
  if (plan.imbalance == 0 && pass.idle != IdleType::kBusy) {
    plan.unit = MoveUnit::kTask;
    plan.imbalance = 1;
  }
}

// Where neither has room: loads are evened out.
std::int64_t EvenLoad(const State& state, const TypedDomain& domain) {
  const std::uint64_t local = domain.local.load.average;
  const std::uint64_t busiest = domain.busiest.average;
  if (local >= busiest) return 0;
  const bool asks_average =
      state.switches.classification == Classification::kGroupTypesLocalAverage;
  if (asks_average && local >= domain.average) return 0;
  // Unsigned on purpose: a side that is beyond the average already sets no limit.
  return static_cast<std::int64_t>(std::min((busiest - domain.average) * domain.busiest.load.power,
                                            (domain.average - local) * domain.local.load.power) /
                                   static_cast<std::uint64_t>(kFullPower));
}

void PlanAmount(const State& state, const Pass& pass, const TypedDomain& domain, TypedPlan& plan) {
  switch (domain.busiest.type) {
    case GroupType::kMisfit:
      plan.unit = MoveUnit::kMisfit;
      plan.imbalance = 1;
      return;
    case GroupType::kImbalanced:
      plan.unit = MoveUnit::kTask;
      plan.imbalance = 1;
      return;
    case GroupType::kHasSpare:
    case GroupType::kFullyBusy:
    case GroupType::kOverloaded:
      break;
  }
  if (domain.local.type == GroupType::kHasSpare) {
    PlanFilling(state, pass, domain, plan);
  } else {
    plan.imbalance = EvenLoad(state, domain);
  }
}

// The CPUs of a node, its caches, and the CPUs of the lowest level above it.
struct NodeShape {
  std::int64_t cpu_count = 0;
  std::int64_t cache_count = 1;
  std::int64_t span = 1;
};

NodeShape ShapeOf(const State& state, CpuNumber cpu) {
  NodeShape shape;
  std::int64_t cache_cpus = 1;
  for (const Domain& domain : state.domains.Of(cpu)) {
    if (domain.parameters.shares_llc) cache_cpus = static_cast<std::int64_t>(domain.span.size());
    if (domain.parameters.level < Level::kNuma) continue;
    shape.cpu_count = static_cast<std::int64_t>(domain.groups.front()->cpus.size());
    shape.span = static_cast<std::int64_t>(domain.span.size());
    break;
  }
  shape.cache_count = std::max<std::int64_t>(1, shape.cpu_count / cache_cpus);
  return shape;
}

// How many tasks a node may have before the difference to another counts.
std::int64_t NumaFreeCount(const State& state, const NumaView& view) {
  const NodeShape shape = ShapeOf(state, view.cpu);
  // The release that scans by utilisation has this smaller share, too.
  const bool is_older = state.switches.wake_idle_search != WakeIdleSearch::kSisUtil;
  const std::int64_t of_node =
      shape.cache_count == 1 ? shape.cpu_count / (is_older ? 4 : 8) : shape.cache_count;
  const auto span = static_cast<std::int64_t>(view.domain->span.size());
  return std::max<std::int64_t>(1, of_node) * std::max<std::int64_t>(1, span / shape.span);
}

}  // namespace

bool HasGroupTypes(Classification classification) {
  return classification >= Classification::kGroupTypes;
}

bool IsOverloaded(const State& state, const GroupFacts& facts, std::int64_t percent) {
  if (facts.running_count <= facts.cpu_count) return false;
  if (facts.power * 100 < facts.util * percent) return true;
  return CountsRunnable(state) && facts.power * percent < facts.runnable * 100;
}

bool HasSpare(const State& state, const GroupFacts& facts, std::int64_t percent) {
  if (facts.running_count < facts.cpu_count) return true;
  if (CountsRunnable(state) && facts.power * percent < facts.runnable * 100) return false;
  return facts.power * 100 > facts.util * percent;
}

GroupType TypeOf(const State& state, const GroupFacts& facts, std::int64_t percent) {
  if (IsOverloaded(state, facts, percent)) return GroupType::kOverloaded;
  if (facts.is_imbalanced) return GroupType::kImbalanced;
  if (facts.misfit_load > 0) return GroupType::kMisfit;
  return HasSpare(state, facts, percent) ? GroupType::kHasSpare : GroupType::kFullyBusy;
}

FactsReader::FactsReader(const State& state)
    : state_(state),
      counts_runnable_(CountsRunnable(state)),
      looks_for_misfits_(state.switches.asym_capacity == AsymCapacity::kMisfit &&
                         state.domains.has_unequal_capacities()) {}

bool NumaAllows(const State& state, const NumaView& view) {
  if (view.domain->parameters.level < Level::kNuma) return false;
  if (view.imbalance > kNumaFreeTasks) return false;
  switch (state.switches.numa_imbalance) {
    case NumaImbalance::kNone:
      return false;
    case NumaImbalance::kTwoTasks:
      return view.busiest_count <= view.busiest_cpu_count / 4;
    case NumaImbalance::kPerLlc:
      return view.arriving_count <= NumaFreeCount(state, view);
  }
  return false;
}

TypedPlan PlanByTypes(State& state, const Pass& pass) {
  const TypedDomain domain = MeasureTypes(state, pass);
  TypedPlan plan{.has_tasks = domain.has_tasks};
  if (IsBalancedByTypes(state, pass, domain)) return plan;
  PlanAmount(state, pass, domain, plan);
  if (plan.imbalance > 0) plan.busiest = domain.busiest.load.group;
  return plan;
}

CpuNumber BusiestQueueByUnit(const State& state, const Pass& pass, const Group& group) {
  if (pass.unit == MoveUnit::kLoad) return BusiestQueue(state, pass, group);
  CpuNumber busiest = kNoCpu;
  std::int64_t most = 0;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    std::int64_t amount = CpuTaskCount(state, cpu);
    if (pass.unit == MoveUnit::kUtil) amount = amount > 1 ? CpuUtil(state, cpu) : 0;
    if (pass.unit == MoveUnit::kMisfit) amount = MisfitLoad(state, cpu);
    if (amount <= most) continue;
    most = amount;
    busiest = cpu;
  }
  return busiest;
}

bool IsTooLarge(const State& state, const Pass& pass, const Task& task, std::int64_t load) {
  const Domain& domain = DomainOf(state, pass);
  switch (pass.unit) {
    case MoveUnit::kLoad: {
      if (state.switches.domain_constants == DomainConstants::kFrom510) {
        return (load >> std::min<std::int64_t>(domain.failed_count, 62)) > pass.imbalance;
      }
      return load / 2 > pass.imbalance && domain.failed_count <= domain.parameters.cache_nice_tries;
    }
    case MoveUnit::kUtil:
      return TaskUtil(task) > pass.imbalance;
    case MoveUnit::kTask:
      return false;
    case MoveUnit::kMisfit:
      return !IsMisfit(state, task, task.cpu);
  }
  return false;
}

std::int64_t ShareOfImbalance(const Pass& pass, const Task& task, std::int64_t load) {
  switch (pass.unit) {
    case MoveUnit::kLoad:
      return load;
    case MoveUnit::kUtil:
      return TaskUtil(task);
    case MoveUnit::kTask:
      return 1;
    case MoveUnit::kMisfit:
      return pass.imbalance;
  }
  return 0;
}

bool IsMisfit(const State& state, const Task& task, CpuNumber cpu) {
  switch (state.switches.asym_capacity) {
    case AsymCapacity::kIgnored:
      return false;
    case AsymCapacity::kMisfit:
      return state.domains.has_unequal_capacities() &&
             TaskUtil(task) * kFitMargin > state.domains.PowerOf(cpu) * kFullPower;
  }
  return false;
}

std::int64_t MisfitLoad(const State& state, CpuNumber cpu) {
  const Task* const current = state.Queue(cpu).current;
  if (current == nullptr || !IsMisfit(state, *current, cpu)) return 0;
  return std::max<std::int64_t>(1, TaskLoad(state, *current));
}

}  // namespace schedlab::sim::fair
