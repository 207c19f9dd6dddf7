#include "sim/fair/group_load.h"

#include <algorithm>
#include <limits>

#include "sim/fair/group_types.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kFullPower = 1024;

// Whether some CPUs of the group hold much more than others, which a mere average hides.
struct Spread {
  std::int64_t max_load = 0;
  std::int64_t min_load = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_count = 0;
  std::int64_t min_count = std::numeric_limits<std::int64_t>::max();
  std::int64_t count_at_max_load = 0;
  std::int64_t sum_of_per_task = 0;  // of each CPU

  void Add(std::int64_t load, std::int64_t count) {
    if (load > max_load) count_at_max_load = count;
    max_load = std::max(max_load, load);
    min_load = std::min(min_load, load);
    max_count = std::max(max_count, count);
    min_count = std::min(min_count, count);
  }
  std::int64_t Difference() const { return max_count > 0 ? max_load - min_load : 0; }
};

bool IsImbalanced(const State& state, const Group& group, const Spread& spread,
                  std::int64_t per_task) {
  switch (state.switches.group_imb_rule) {
    case GroupImbRule::kSpread:
      return spread.max_count - spread.min_count > 1 && spread.Difference() >= per_task;
    case GroupImbRule::kAffinityFlag:
      return group.has_affinity_imbalance;
    case GroupImbRule::kPowerScaledSpread:
      return spread.Difference() > 2 * (spread.sum_of_per_task * kFullPower / group.power);
    case GroupImbRule::kTaskSpread:
      return spread.Difference() >= per_task && spread.count_at_max_load > 1;
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
      return domain.parameters.newidle_index;
  }
  return 0;
}

// A group has room for one task at least, unless other classes have taken most of its CPUs.
std::int64_t LeastCapacity(const State& state, const Group& group) {
  if (!state.higher.has_taken_any()) return 1;
  std::int64_t full = 0;
  for (const CpuNumber cpu : group.cpus) full += state.domains.FullPowerOf(cpu);
  return group.power < full ? 0 : 1;
}

std::int64_t CapacityOf(const State& state, const Group& group) {
  const auto cpu_count = static_cast<std::int64_t>(group.cpus.size());
  const std::int64_t least = LeastCapacity(state, group);
  const std::int64_t rounded =
      std::max<std::int64_t>(least, (group.power + kFullPower / 2) / kFullPower);
  switch (state.switches.group_capacity) {
    case GroupCapacity::kRoundedPower:
    case GroupCapacity::kUtilization:
    case GroupCapacity::kOneWhereShared:
      return rounded;
    case GroupCapacity::kCappedByCores: {
      // Between one and two threads' worth of power for each thread: so many to a core.
      const std::int64_t threads = (kFullPower * cpu_count + group.power - 1) / group.power;
      return std::max<std::int64_t>(least, std::min(cpu_count / threads, rounded));
    }
  }
  return rounded;
}

// Where the least loaded CPU stands for its group, all of them count as loaded no more than it.
void Apply(GroupLoadMeasure measure, const Spread& spread, std::int64_t cpu_count,
           GroupLoad& result) {
  switch (measure) {
    case GroupLoadMeasure::kAverage:
      return;
    case GroupLoadMeasure::kMinimum:
      if (cpu_count > 0) result.load = spread.min_load * cpu_count;
      return;
  }
}

// Whether a group has room, and whether it has more than it can take.
void JudgeRoom(const State& state, const Pass& pass, GroupLoad& result) {
  const GroupCapacity rule = state.switches.group_capacity;
  result.has_room = result.capacity > result.task_count;
  result.is_overloaded = result.task_count > result.capacity;
  if (rule != GroupCapacity::kUtilization) return;
  GroupFacts facts{.cpu_count = static_cast<std::int64_t>(result.group->cpus.size()),
                   .power = result.group->power};
  const FactsReader reader(state);
  for (const CpuNumber cpu : result.group->cpus) {
    if (pass.candidates.Contains(cpu)) reader.Add(cpu, facts);
  }
  const std::int64_t percent = DomainOf(state, pass).parameters.imbalance_pct;
  result.has_room = HasSpare(state, facts, percent);
  result.is_overloaded = IsOverloaded(state, facts, percent);
}

// In percent, of what our own side carries.
std::int64_t BiasOf(const State& state, const Domain& domain) {
  switch (state.switches.bias_percent) {
    case BiasPercent::kOfLevel:
      break;
    case BiasPercent::k100:
      return 100;
    case BiasPercent::k112:
      return 112;
    case BiasPercent::k125:
      return 125;
    case BiasPercent::k156:
      return 156;
  }
  return domain.parameters.imbalance_pct;
}

// The loads of the CPUs of a group as a pass sees them: the rules are looked up once.
class LoadReader {
 public:
  LoadReader(const State& state, const Pass& pass, bool is_local)
      : state_(state),
        reading_{HistoryIndex(DomainOf(state, pass), pass.idle),
                 BiasOf(state, DomainOf(state, pass))},
        is_local_(is_local),
        is_all_(state.switches.load_view == LoadView::kPeltAll),
        is_live_(state.switches.bias_mode == BiasMode::kNone) {}

  std::int64_t Live(CpuNumber cpu) const {
    return is_all_ ? AveragesOf(state_, cpu).load : CpuLoad(state_, cpu);
  }
  // What counts of the live load.
  std::int64_t Counted(CpuNumber cpu, std::int64_t live) const {
    if (is_live_) return live;
    return is_local_ ? TargetLoad(state_, cpu, reading_, live)
                     : SourceLoad(state_, cpu, reading_, live);
  }

 private:
  const State& state_;
  const LoadReading reading_;
  const bool is_local_;
  const bool is_all_;
  const bool is_live_;
};

}  // namespace

std::int64_t GroupLoadSum(const State& state, const Pass& pass, const Group& group, bool is_local) {
  const LoadReader reader(state, pass, is_local);
  GroupLoad result;
  Spread spread;
  std::int64_t cpu_count = 0;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const std::int64_t load = reader.Counted(cpu, reader.Live(cpu));
    ++cpu_count;
    result.load += load;
    spread.Add(load, state.TaskCount(cpu));
  }
  Apply(state.switches.group_load_measure, spread, cpu_count, result);
  return result.load;
}

GroupLoad MeasureGroup(const State& state, const Pass& pass, const Group& group, bool is_local) {
  const LoadReader reader(state, pass, is_local);
  GroupLoad result{.group = &group, .power = static_cast<std::uint64_t>(group.power)};
  const bool sums_per_task = state.switches.group_imb_rule == GroupImbRule::kPowerScaledSpread;
  std::int64_t live_load = 0;
  std::int64_t cpu_count = 0;
  Spread spread;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const std::int64_t live = reader.Live(cpu);
    const std::int64_t load = reader.Counted(cpu, live);
    const std::int64_t task_count = state.TaskCount(cpu);
    ++cpu_count;
    result.load += load;
    result.task_count += task_count;
    live_load += live;
    result.idle_cpus += state.IsIdleCpu(cpu) ? 1 : 0;
    spread.Add(load, task_count);
    if (sums_per_task && task_count > 0) spread.sum_of_per_task += live / task_count;
  }
  Apply(state.switches.group_load_measure, spread, cpu_count, result);
  result.average = static_cast<std::uint64_t>(result.load * kFullPower) / result.power;
  const std::int64_t per_task = result.task_count > 0 ? live_load / result.task_count : 0;
  result.per_task = static_cast<std::uint64_t>(per_task);
  result.is_imbalanced = cpu_count > 0 && IsImbalanced(state, group, spread, per_task);
  result.capacity = CapacityOf(state, group);
  JudgeRoom(state, pass, result);
  return result;
}

namespace {

// Of a child that prefers siblings, every task beyond the first of a group is too many.
void ClipCapacity(const State& state, const DomainLoad& loads, GroupLoad& group) {
  switch (state.switches.local_room_rule) {
    case LocalRoomRule::kForcesNewidle:
      if (!loads.local.has_room) return;
      break;
    case LocalRoomRule::kNone:
      break;
  }
  group.capacity = std::min<std::int64_t>(1, group.capacity);
  if (group.task_count > group.capacity) group.is_overloaded = true;
}

bool IsTooFull(const State& state, const GroupLoad& load) {
  if (state.switches.group_capacity == GroupCapacity::kUtilization) return load.is_overloaded;
  return load.task_count > load.capacity;
}

// Ascending: other, imbalanced, overloaded.
int RankOf(const GroupLoad& load) {
  if (load.is_overloaded) return 2;
  return load.is_imbalanced ? 1 : 0;
}

// Whether `load` is to be relieved rather than the busiest so far.
bool IsBusier(const State& state, const GroupLoad& load, const GroupLoad& busiest) {
  switch (state.switches.classification) {
    case Classification::kTypeThenLoad:
      if (busiest.group != nullptr && RankOf(load) != RankOf(busiest)) {
        return RankOf(load) > RankOf(busiest);
      }
      return load.average > busiest.average;
    case Classification::kAverageLoad:
    case Classification::kGroupTypes:
    case Classification::kGroupTypesRunnable:
    case Classification::kGroupTypesLocalAverage:
      break;
  }
  const bool qualifies = IsTooFull(state, load) || load.is_imbalanced;
  return qualifies && load.average > busiest.average;
}

}  // namespace

DomainLoad MeasureDomain(State& state, const Pass& pass) {
  const Domain& domain = DomainOf(state, pass);
  const bool spreads =
      pass.level > 0 && state.domains.Of(pass.cpu)[pass.level - 1].parameters.prefers_siblings;
  DomainLoad result;
  std::uint64_t total_load = 0;
  std::uint64_t total_power = 0;
  for (const Group* group : domain.groups) {
    // Groups of nodes may overlap: all that hold this CPU are its own.
    const bool is_local = group->set.Contains(pass.cpu);
    GroupLoad load = MeasureGroup(state, pass, *group, is_local);
    total_load += static_cast<std::uint64_t>(load.load);
    total_power += load.power;
    result.has_tasks = result.has_tasks || load.task_count > 0;
    if (is_local) {
      result.local = load;
      continue;
    }
    if (spreads) ClipCapacity(state, result, load);
    if (IsBusier(state, load, result.busiest)) result.busiest = load;
  }
  result.average = total_load * kFullPower / total_power;
  return result;
}

CpuNumber BusiestQueue(const State& state, const Pass& pass, const Group& group) {
  CpuNumber busiest = kNoCpu;
  std::int64_t busiest_load = 0;
  std::int64_t busiest_power = 1;
  for (const CpuNumber cpu : group.cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const std::int64_t power = state.domains.PowerOf(cpu);
    const bool has_full_capacity = power >= kFullPower / 2;
    const std::int64_t load = CpuLoad(state, cpu);
    const bool is_scaled = state.switches.imbalance_amount == ImbalanceAmount::kAboveOneTask;
    const std::int64_t compared = is_scaled ? load * kFullPower / power : load;
    const bool is_single = state.RunnableCount(cpu) == 1;
    if (has_full_capacity && is_single && compared > pass.imbalance) continue;
    if (load * busiest_power > busiest_load * power) {
      busiest = cpu;
      busiest_load = load;
      busiest_power = power;
    }
  }
  return busiest;
}

}  // namespace schedlab::sim::fair
