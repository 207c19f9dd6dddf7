#include "sim/fair/idle_search.h"

#include "sim/fair/idle_search_sis.h"
#include "sim/fair/load.h"

namespace schedlab::sim::fair {

bool SharesCache(const State& state, CpuNumber a, CpuNumber b) {
  return state.machine.DistanceBetween(a, b) <= Distance::kSameLlc;
}

bool ProbeIsIdle(State& state, CpuNumber by, CpuNumber cpu) {
  state.machine.ChargeProbe(by, cpu);
  return IsIdleToWakeups(state, cpu);
}

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

namespace {

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

CpuNumber FirstIdle(State& state, const Domain& domain, const Task& task, CpuNumber by) {
  for (const CpuNumber cpu : domain.span) {
    if (task.MayRunOn(cpu) && ProbeIsIdle(state, by, cpu)) return cpu;
  }
  return kNoCpu;
}

// The first CPU of the first group in which all are idle, from the cache's domain down.
CpuNumber FirstOfIdleGroup(State& state, const Task& task, const IdleSearch& search) {
  for (int level = SearchLevel(state, search.target); level >= 0; --level) {
    const Domain& domain = state.domains.Of(search.target)[static_cast<std::size_t>(level)];
    for (const Group* group : domain.groups) {
      const CpuNumber allowed = FirstAllowed(*group, task);
      if (allowed == kNoCpu) continue;
      if (IsWhollyIdle(state, search.by, *group, search.target)) return allowed;
    }
  }
  return search.target;
}

CpuNumber PreviousFirst(State& state, const Task& task, const IdleSearch& search) {
  if (ProbeIsIdle(state, search.by, search.target)) return search.target;
  const CpuNumber previous = task.cpu;
  if (previous != search.target && SharesCache(state, previous, search.target) &&
      ProbeIsIdle(state, search.by, previous)) {
    return previous;
  }
  return FirstOfIdleGroup(state, task, search);
}

// Before 3.9 an idle target was taken only if it was the waking or the previous CPU.
bool IsGoodAlready(State& state, const Task& task, const IdleSearch& search) {
  const bool is_known = search.target == search.by || search.target == task.cpu;
  return is_known && ProbeIsIdle(state, search.by, search.target);
}

// Up to the level that holds both the waking and the previous CPU; each level may find another.
CpuNumber FirstIdleUpwards(State& state, const Task& task, const IdleSearch& search) {
  CpuNumber found = search.target;
  for (const Domain& domain : state.domains.Of(search.target)) {
    if (!domain.parameters.shares_llc) break;
    const CpuNumber idle = FirstIdle(state, domain, task, search.by);
    if (idle != kNoCpu) found = idle;
    if (domain.set.Contains(search.by) && domain.set.Contains(task.cpu)) break;
  }
  return found;
}

// Of 2.6.31: a CPU with more than one task is left as it is, since its neighbours, had they been
// idle, would have helped it already.
bool MayWakeIdle(const State& state, const Task& task, const Domain& domain) {
  switch (domain.parameters.level) {
    case Level::kSmt:
      return true;
    case Level::kMc:
    case Level::kCpu:
      return state.switches.wake_idle_search == WakeIdleSearch::kWakeIdleAll;
    case Level::kNuma:
    case Level::kAllNodes: {
      const SimDuration since = state.machine.now() - task.fair.exec_start;
      return state.switches.wake_idle_search == WakeIdleSearch::kWakeIdleAll &&
             since >= state.tunables.migration_cost;
    }
  }
  return false;
}

CpuNumber WakeIdle(State& state, const Task& task, const IdleSearch& search) {
  if (ProbeIsIdle(state, search.by, search.target)) return search.target;
  if (state.TaskCount(search.target) > 1) return search.target;
  for (const Domain& domain : state.domains.Of(search.target)) {
    if (!MayWakeIdle(state, task, domain)) break;
    const CpuNumber idle = FirstIdle(state, domain, task, search.by);
    if (idle != kNoCpu) return idle;
  }
  return search.target;
}

// Whether a search that climbs looks at this level.
bool IsSearched(const State& state, const Domain& domain, bool holds_previous) {
  const DomainParameters& parameters = domain.parameters;
  const WakeIdleSearch search = state.switches.wake_idle_search;
  if (search == WakeIdleSearch::kLlcFirst) return parameters.shares_llc;
  if (search == WakeIdleSearch::kPreferSiblingClimbing) return parameters.prefers_siblings;
  return holds_previous && parameters.attracts_wakeups && parameters.prefers_siblings;
}

// Idle means here that no fair task is queued. kNoCpu where none is.
CpuNumber FirstWithoutTask(State& state, const Domain& domain, const Task& task, CpuNumber by) {
  const bool is_masked = state.switches.wake_idle_search != WakeIdleSearch::kPreferSiblingUnmasked;
  for (const CpuNumber cpu : domain.span) {
    if (is_masked && !task.MayRunOn(cpu)) continue;
    state.machine.ChargeProbe(by, cpu);
    // A kernel that asked for a CPU that the task may not use was given its previous one.
    if (state.TaskCount(cpu) == 0) return task.MayRunOn(cpu) ? cpu : task.cpu;
  }
  return kNoCpu;
}

CpuNumber SearchedOnLevel(State& state, const Domain& domain, const Task& task, CpuNumber by) {
  if (domain.set.Contains(task.cpu)) {
    state.machine.ChargeProbe(by, task.cpu);
    if (state.TaskCount(task.cpu) == 0) return task.cpu;
  }
  return FirstWithoutTask(state, domain, task, by);
}

}  // namespace

CpuNumber FindIdleNear(State& state, Task& task, const IdleSearch& search) {
  switch (state.switches.wake_idle_search) {
    case WakeIdleSearch::kNone:
    case WakeIdleSearch::kPreferSiblingUnmasked:
    case WakeIdleSearch::kPreferSibling:
    case WakeIdleSearch::kPreferSiblingClimbing:
    case WakeIdleSearch::kLlcFirst:
      return search.target;
    case WakeIdleSearch::kWakeIdleSmt:
    case WakeIdleSearch::kWakeIdleAll:
      return WakeIdle(state, task, search);
    case WakeIdleSearch::kLlcAfterAffine:
      if (IsGoodAlready(state, task, search)) return search.target;
      return FirstIdleUpwards(state, task, search);
    case WakeIdleSearch::kLlcIdleGroup:
      if (IsGoodAlready(state, task, search)) return search.target;
      return FirstOfIdleGroup(state, task, search);
    case WakeIdleSearch::kLlcGroupPrevfirst:
      return PreviousFirst(state, task, search);
    case WakeIdleSearch::kSisAvgCost:
    case WakeIdleSearch::kSisProp:
    case WakeIdleSearch::kSisOneScan:
    case WakeIdleSearch::kSisOneScanSmt:
    case WakeIdleSearch::kSisUtil:
      return ScanForIdle(state, task, search);
  }
  return search.target;
}

bool SearchesWhileClimbing(WakeIdleSearch search) {
  switch (search) {
    case WakeIdleSearch::kPreferSiblingUnmasked:
    case WakeIdleSearch::kPreferSibling:
    case WakeIdleSearch::kPreferSiblingClimbing:
    case WakeIdleSearch::kLlcFirst:
      return true;
    case WakeIdleSearch::kLlcGroupPrevfirst:
    case WakeIdleSearch::kNone:
    case WakeIdleSearch::kWakeIdleSmt:
    case WakeIdleSearch::kWakeIdleAll:
    case WakeIdleSearch::kLlcAfterAffine:
    case WakeIdleSearch::kLlcIdleGroup:
    case WakeIdleSearch::kSisAvgCost:
    case WakeIdleSearch::kSisProp:
    case WakeIdleSearch::kSisOneScan:
    case WakeIdleSearch::kSisOneScanSmt:
    case WakeIdleSearch::kSisUtil:
      return false;
  }
  return false;
}

Climb FindIdleClimbing(State& state, const Task& task, CpuNumber by) {
  Climb climb{.target = by};
  for (Domain& domain : state.domains.Of(by)) {
    const bool holds_previous = domain.set.Contains(task.cpu);
    CpuNumber found = holds_previous ? by : kNoCpu;
    if (IsSearched(state, domain, holds_previous)) {
      const CpuNumber idle = SearchedOnLevel(state, domain, task, by);
      if (idle != kNoCpu) found = idle;
    }
    if (found == kNoCpu) continue;
    climb.target = found;
    if (!domain.parameters.attracts_wakeups) continue;
    climb.affine = &domain;
    break;
  }
  return climb;
}

CpuNumber LongestIdle(State& state, const Task& task, CpuNumber by) {
  if (ProbeIsIdle(state, by, task.cpu) && task.MayRunOn(task.cpu)) return task.cpu;
  CpuNumber longest = kNoCpu;
  const CpuSet& online = state.domains.online();
  for (CpuNumber cpu = online.First(); cpu != kNoCpu; cpu = online.NextFrom(cpu + 1)) {
    if (!task.MayRunOn(cpu) || !state.IsIdleCpu(cpu)) continue;
    const auto since = [&](CpuNumber each) {
      return state.balance.idle_since[static_cast<std::size_t>(each)];
    };
    if (longest == kNoCpu || since(cpu) < since(longest)) longest = cpu;
  }
  return longest;
}

}  // namespace schedlab::sim::fair
