#include "sim/fair/placement.h"

#include <algorithm>

#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

bool SharesCache(const State& state, CpuNumber a, CpuNumber b) {
  return state.machine.DistanceBetween(a, b) <= Distance::kSameLlc;
}

std::int64_t LlcSize(const State& state, CpuNumber cpu) {
  const int level = state.domains.LlcLevel(cpu);
  if (level < 0) return 1;
  return static_cast<std::int64_t>(
      state.domains.Of(cpu)[static_cast<std::size_t>(level)].span.size());
}

// What an interrupt on `cpu` finds executing there: each CPU has an idle task of its own.
FairTask& WakerOn(State& state, CpuNumber cpu) {
  Task* const current = state.machine.current(cpu);
  return current != nullptr ? current->fair : state.Queue(cpu).idle_task;
}

// A waker of many wakees would gather them all around itself.
bool IsWideWaker(State& state, const Task& wakee, const Context& context) {
  const std::int64_t factor = LlcSize(state, context.cpu);
  const std::int64_t wakee_flips = wakee.fair.wakee_flips;
  const std::int64_t waker_flips = WakerOn(state, context.cpu).wakee_flips;
  const std::int64_t fewer = std::min(wakee_flips, waker_flips);
  switch (state.switches.wake_wide) {
    case WakeWide::kOff:
      return false;
    case WakeWide::kOn:
      return wakee_flips > factor && waker_flips > factor * wakee_flips;
    case WakeWide::kSymmetric:
      return fewer >= factor && std::max(wakee_flips, waker_flips) >= factor * fewer;
  }
  return false;
}

// Whether the waking CPU would be no worse off with the task than its previous CPU is now. A waking
// CPU without load always is: an interrupt on an idle CPU attracts whatever it wakes.
bool IsAffine(State& state, const Domain& domain, const Task& task, const Context& context) {
  if (state.switches.wake_affine == OnOff::kOff) return false;
  if (IsWideWaker(state, task, context)) return false;
  state.machine.ChargeProbe(context.cpu, task.cpu);
  const std::int64_t previous_load = SourceLoad(state, task.cpu, 0);
  const std::int64_t here_load = TargetLoad(state, context.cpu, 0);
  const std::int64_t percent = 100 + (domain.parameters.imbalance_pct - 100) / 2;
  const std::int64_t here = 100 * state.domains.PowerOf(task.cpu) * (here_load + task.fair.weight);
  const std::int64_t previous = percent * state.domains.PowerOf(context.cpu) * previous_load;
  const bool is_light = here_load <= 0 || here <= previous;
  const bool is_less_than_a_task =
      here_load <= previous_load &&
      here_load + TargetLoad(state, task.cpu, 0) <= CpuLoadPerTask(state, context.cpu);
  if (!is_light && !is_less_than_a_task) return false;
  ++state.machine.counters().wakeups_moved_affine;
  return true;
}

// Reads queue after queue, at the waker's expense.
bool ProbeIsIdle(State& state, CpuNumber by, CpuNumber cpu) {
  state.machine.ChargeProbe(by, cpu);
  return state.IsIdleCpu(cpu);
}

bool IsWhollyIdle(State& state, CpuNumber by, const Group& group, CpuNumber target) {
  for (const CpuNumber cpu : group.cpus) {
    if (cpu == target || !ProbeIsIdle(state, by, cpu)) return false;
  }
  return true;
}

CpuNumber FirstAllowed(const Group& group, const Task& task) {
  for (const CpuNumber cpu : group.cpus) {
    if (task.MayRunOn(cpu)) return cpu;
  }
  return kNoCpu;
}

// Where the search for an idle CPU near `target` begins; -1 for nowhere.
int SearchLevel(const State& state, CpuNumber target) {
  const int llc = state.domains.LlcLevel(target);
  switch (state.switches.llc_domain_pointer) {
    case LlcDomainPointer::kCorrect:
      return llc;
    case LlcDomainPointer::kParentOfLlc: {
      const int parent = llc + 1;
      const bool exists = llc >= 0 && parent < static_cast<int>(state.domains.Of(target).size());
      return exists ? parent : -1;
    }
  }
  return -1;
}

// An idle CPU that shares the cache of `target`: itself, the previous one, else the first CPU of
// the first group in which all are idle; `target` where there is none.
CpuNumber IdleSibling(State& state, const Task& task, CpuNumber target, CpuNumber by) {
  if (state.switches.wake_idle_search == WakeIdleSearch::kNone) return target;
  if (ProbeIsIdle(state, by, target)) return target;
  const CpuNumber previous = task.cpu;
  if (previous != target && SharesCache(state, previous, target) &&
      ProbeIsIdle(state, by, previous)) {
    return previous;
  }
  for (int level = SearchLevel(state, target); level >= 0; --level) {
    const Domain& domain = state.domains.Of(target)[static_cast<std::size_t>(level)];
    for (const Group* group : domain.groups) {
      const CpuNumber allowed = FirstAllowed(*group, task);
      if (allowed != kNoCpu && IsWhollyIdle(state, by, *group, target)) return allowed;
    }
  }
  return target;
}

// The group to go to; null to stay in the local one.
const Group* IdlestGroup(State& state, const Domain& domain, const Task& task, CpuNumber by) {
  const Group* idlest = nullptr;
  std::int64_t idlest_load = 0;
  std::int64_t local_load = 0;
  for (const Group* group : domain.groups) {
    if (FirstAllowed(*group, task) == kNoCpu) continue;
    const bool is_local = group == domain.groups.front();
    std::int64_t load = 0;
    for (const CpuNumber cpu : group->cpus) {
      state.machine.ChargeProbe(by, cpu);
      load += is_local ? SourceLoad(state, cpu, 0) : TargetLoad(state, cpu, 0);
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

CpuNumber IdlestCpu(const State& state, const Group& group, const Task& task, CpuNumber here) {
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

// The largest domain of `cpu` that spans fewer than `size` CPUs; -1 for none.
int ForkLevelBelow(const State& state, CpuNumber cpu, std::size_t size) {
  const std::vector<Domain>& domains = state.domains.Of(cpu);
  int found = -1;
  for (std::size_t level = 0; level < domains.size(); ++level) {
    if (domains[level].span.size() >= size) break;
    found = static_cast<int>(level);
  }
  return found;
}

}  // namespace

CpuNumber SelectCpuForWakeup(State& state, Task& task, const Context& context) {
  const CpuNumber previous = task.cpu;
  if (task.IsPinned()) return previous;
  if (!task.MayRunOn(context.cpu)) return previous;
  for (const Domain& domain : state.domains.Of(context.cpu)) {
    if (!domain.set.Contains(previous)) continue;
    const bool comes_here = context.cpu == previous || IsAffine(state, domain, task, context);
    const CpuNumber target = comes_here ? context.cpu : previous;
    return IdleSibling(state, task, target, context.cpu);
  }
  return previous;
}

CpuNumber SelectCpuForNew(State& state, const Task& task, const Context& context) {
  CpuNumber cpu = task.MayRunOn(context.cpu) ? context.cpu : task.allowed.First();
  if (task.IsPinned()) return cpu;
  int level = ForkLevelBelow(state, cpu, static_cast<std::size_t>(state.machine.cpu_count()) + 1);
  while (level >= 0) {
    const Domain& domain = state.domains.Of(cpu)[static_cast<std::size_t>(level)];
    const Group* const group = IdlestGroup(state, domain, task, context.cpu);
    const CpuNumber idlest = group == nullptr ? cpu : IdlestCpu(state, *group, task, cpu);
    if (idlest == cpu) {
      --level;
      continue;
    }
    const std::size_t size = domain.span.size();
    cpu = idlest;
    level = ForkLevelBelow(state, cpu, size);
  }
  return cpu;
}

void NoteWakee(State& state, const Context& context, const Task& wakee) {
  FairTask& waker = WakerOn(state, context.cpu);
  const SimTime now = state.machine.now();
  if (now - waker.flips_decayed > SimDuration{1'000'000'000}) {
    waker.wakee_flips = 0;
    waker.flips_decayed = now;
  }
  if (waker.last_wakee == &wakee) return;
  waker.last_wakee = &wakee;
  ++waker.wakee_flips;
}

}  // namespace schedlab::sim::fair
