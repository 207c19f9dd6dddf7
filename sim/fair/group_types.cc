#include "sim/fair/group_types.h"

#include <algorithm>

#include "sim/fair/load.h"
#include "sim/fair/typed_group.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kFullPower = 1024;
// A task fits while it leaves a fifth of its CPU (1024 of 1280).
constexpr std::int64_t kFitMargin = 1280;
// A CPU is larger than another if it has a twentieth more.
constexpr std::int64_t kLargerMargin = 1078;
constexpr std::int64_t kNumaFreeTasks = 2;

struct TypedDomain {
  TypedGroup local;
  TypedGroup busiest;  // stands for no group where none qualifies
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

std::int64_t LargestPower(const State& state, const Group& group) {
  std::int64_t largest = 0;
  for (const CpuNumber cpu : group.cpus) largest = std::max(largest, state.domains.PowerOf(cpu));
  return largest;
}

// A misfit task is not to come to a CPU that is no larger, nor to a group without room.
bool MayHelp(const State& state, const Pass& pass, const TypedGroup& group,
             const TypedGroup& local) {
  if (group.type() != GroupType::kMisfit) return true;
  const std::int64_t largest = LargestPower(state, *group.group());
  const bool is_larger = state.domains.PowerOf(pass.cpu) * kFullPower > largest * kLargerMargin;
  return is_larger && local.type() == GroupType::kHasSpare;
}

// Whether `group` is to be relieved rather than `busiest`.
bool IsBusier(const State& state, const Pass& pass, TypedGroup& group, TypedGroup& busiest) {
  if (busiest.group() == nullptr) return true;
  if (group.type() != busiest.type()) return group.type() > busiest.type();
  switch (group.type()) {
    case GroupType::kOverloaded:
      return group.AverageLoad(state, pass) > busiest.AverageLoad(state, pass);
    case GroupType::kMisfit:
      return group.misfit_load() > busiest.misfit_load();
    case GroupType::kImbalanced:
    case GroupType::kFullyBusy:
      return false;
    case GroupType::kHasSpare:
      if (group.idle_cpus() != busiest.idle_cpus()) return group.idle_cpus() < busiest.idle_cpus();
      return group.running_count() > busiest.running_count();
  }
  return false;
}

TypedDomain MeasureTypes(const State& state, const Pass& pass) {
  TypedDomain result;
  for (const Group* group : DomainOf(state, pass).groups) {
    TypedGroup measured(state, pass, *group);
    result.has_tasks = result.has_tasks || measured.task_count() > 0;
    if (group->set.Contains(pass.cpu)) {
      result.local = measured;
    } else if (measured.task_count() > 0 && MayHelp(state, pass, measured, result.local) &&
               IsBusier(state, pass, measured, result.busiest)) {
      result.busiest = measured;
    }
  }
  return result;
}

// The load of all groups together, per power.
std::uint64_t AverageOfAll(const State& state, const Pass& pass) {
  std::uint64_t total_load = 0;
  std::uint64_t total_power = 0;
  for (const Group* group : DomainOf(state, pass).groups) {
    const bool is_local = group->set.Contains(pass.cpu);
    total_load += static_cast<std::uint64_t>(GroupLoadSum(state, pass, *group, is_local));
    total_power += static_cast<std::uint64_t>(group->power);
  }
  return total_load * kFullPower / total_power;
}

// Where a group has too much; 0 where not, since the rules do not ask further then.
std::uint64_t ExcessOf(const State& state, const Pass& pass, TypedGroup& group) {
  return group.type() == GroupType::kOverloaded ? group.AverageLoad(state, pass) : 0;
}

bool PrefersSiblings(const State& state, const Pass& pass) {
  return pass.level > 0 && state.domains.Of(pass.cpu)[pass.level - 1].parameters.prefers_siblings;
}

// Where the local group has too much.
bool IsAsLoaded(const State& state, const Pass& pass, TypedDomain& domain) {
  const auto percent = static_cast<std::uint64_t>(DomainOf(state, pass).parameters.imbalance_pct);
  const std::uint64_t local = domain.local.AverageLoad(state, pass);
  const std::uint64_t busiest = ExcessOf(state, pass, domain.busiest);
  return local >= busiest || 100 * busiest <= percent * local || local >= AverageOfAll(state, pass);
}

bool IsBalancedByTypes(const State& state, const Pass& pass, TypedDomain& domain) {
  const TypedGroup& local = domain.local;
  const TypedGroup& busiest = domain.busiest;
  const GroupType type = busiest.type();
  if (busiest.group() == nullptr) return true;
  if (type == GroupType::kMisfit || type == GroupType::kImbalanced) return false;
  if (local.type() > type) return true;
  if (local.type() == GroupType::kOverloaded) return IsAsLoaded(state, pass, domain);
  const bool has_more = busiest.running_count() > local.running_count() + 1;
  const bool has_spare = local.type() == GroupType::kHasSpare;
  if (PrefersSiblings(state, pass) && has_spare && has_more) return false;
  if (type == GroupType::kOverloaded) return false;
  if (pass.idle == IdleType::kBusy) return true;
  const bool is_single = busiest.cpu_count() == 1;
  if (!is_single && local.idle_cpus() <= busiest.idle_cpus() + 1) return true;
  return busiest.task_count() == 1;
}

void PlanTasks(const State& state, const Pass& pass, const TypedDomain& domain, TypedPlan& plan) {
  const TypedGroup& local = domain.local;
  const TypedGroup& busiest = domain.busiest;
  const bool counts_tasks = busiest.cpu_count() == 1 || PrefersSiblings(state, pass);
  const std::int64_t difference = counts_tasks ? busiest.running_count() - local.running_count()
                                               : local.idle_cpus() - busiest.idle_cpus();
  plan.unit = MoveUnit::kTask;
  plan.imbalance = std::max<std::int64_t>(0, difference);
  const bool is_allowed = NumaAllows(state, {.cpu = pass.cpu,
                                             .domain = &DomainOf(state, pass),
                                             .imbalance = plan.imbalance,
                                             .arriving_count = local.running_count() + 1,
                                             .busiest_count = busiest.running_count(),
                                             .busiest_cpu_count = busiest.cpu_count()});
  plan.imbalance = is_allowed ? 0 : plan.imbalance / 2;
}

// Where the local group has room. Within a cache tasks are spread by their number.
void PlanFilling(const State& state, const Pass& pass, TypedDomain& domain, TypedPlan& plan) {
  const bool is_far = !DomainOf(state, pass).parameters.shares_llc;
  if (domain.busiest.type() <= GroupType::kFullyBusy || !is_far) {
    PlanTasks(state, pass, domain, plan);
    return;
  }
  const std::int64_t util = domain.local.Util(state, pass);
  plan.unit = MoveUnit::kUtil;
  plan.imbalance = std::max(domain.local.power(), util) - util;
  if (plan.imbalance == 0 && pass.idle != IdleType::kBusy) {
    plan.unit = MoveUnit::kTask;
    plan.imbalance = 1;
  }
}

// Where neither has room: loads are evened out.
std::int64_t EvenLoad(const State& state, const Pass& pass, TypedDomain& domain) {
  const std::uint64_t local = domain.local.AverageLoad(state, pass);
  const std::uint64_t busiest = ExcessOf(state, pass, domain.busiest);
  if (local >= busiest) return 0;
  const std::uint64_t average = AverageOfAll(state, pass);
  const bool asks_average =
      state.switches.classification == Classification::kGroupTypesLocalAverage;
  if (asks_average && local >= average) return 0;
  // Unsigned on purpose: a side that is beyond the average already sets no limit.
  const auto power_of = [](const TypedGroup& group) {
    return static_cast<std::uint64_t>(group.power());
  };
  const std::uint64_t too_much = (busiest - average) * power_of(domain.busiest);
  const std::uint64_t too_little = (average - local) * power_of(domain.local);
  return static_cast<std::int64_t>(std::min(too_much, too_little) /
                                   static_cast<std::uint64_t>(kFullPower));
}

void PlanAmount(const State& state, const Pass& pass, TypedDomain& domain, TypedPlan& plan) {
  switch (domain.busiest.type()) {
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
  if (domain.local.type() == GroupType::kHasSpare) {
    PlanFilling(state, pass, domain, plan);
  } else {
    plan.imbalance = EvenLoad(state, pass, domain);
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

TypedPlan PlanByTypes(const State& state, const Pass& pass) {
  TypedDomain domain = MeasureTypes(state, pass);
  TypedPlan plan{.has_tasks = domain.has_tasks};
  if (IsBalancedByTypes(state, pass, domain)) return plan;
  PlanAmount(state, pass, domain, plan);
  if (plan.imbalance > 0) plan.busiest = domain.busiest.group();
  return plan;
}

CpuNumber BusiestQueueByUnit(const State& state, const Pass& pass, const Group& group) {
  if (pass.unit == MoveUnit::kLoad) return BusiestQueue(state, pass, group);
  CpuNumber busiest = kNoCpu;
  std::int64_t most = 0;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    std::int64_t amount = state.TaskCount(cpu);
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
