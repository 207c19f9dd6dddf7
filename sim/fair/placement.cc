#include "sim/fair/placement.h"

#include "sim/fair/group_types.h"
#include "sim/fair/idle_search.h"
#include "sim/fair/idlest.h"
#include "sim/fair/wake_affine.h"

namespace schedlab::sim::fair {
namespace {

// 2.6.31: what the waking CPU attracts goes there, idle or not; an idle CPU is looked for only
// around the previous one.
bool SearchesAroundPreviousOnly(WakeIdleSearch search) {
  return search == WakeIdleSearch::kWakeIdleSmt || search == WakeIdleSearch::kWakeIdleAll;
}

// Where a task goes that the waking CPU does not attract.
CpuNumber Unattracted(State& state, const Task& task, const Context& context) {
  switch (state.switches.wake_slow_path) {
    case WakeSlowPath::kNone:
    case WakeSlowPath::kPassiveBalance:
      return task.cpu;
    case WakeSlowPath::kIdlestWalk: {
      const CpuNumber idlest =
          FindIdlest(state, task, {context.cpu, context.cpu, WalkReason::kWakeup});
      return idlest == kNoCpu ? task.cpu : idlest;
    }
  }
  return task.cpu;
}

bool ComesHere(State& state, const Task& task, const Context& context, Domain& domain) {
  if (IsAffine(state, domain, task, context)) return true;
  return IsPassivelyBalanced(state, domain, task, context);
}

CpuNumber SelectWhileClimbing(State& state, const Task& task, const Context& context) {
  const Climb climb = FindIdleClimbing(state, task, context.cpu);
  if (climb.affine == nullptr) return Unattracted(state, task, context);
  // The test is about the waking CPU, though the answer may be a third one.
  return IsAffine(state, *climb.affine, task, context) ? climb.target : task.cpu;
}

CpuNumber SelectAfterAffineTest(State& state, Task& task, const Context& context) {
  const CpuNumber previous = task.cpu;
  Domain* const domain = AffineDomain(state, task, context);
  if (domain == nullptr) return Unattracted(state, task, context);
  const bool comes_here = context.cpu != previous && ComesHere(state, task, context, *domain);
  if (SearchesAroundPreviousOnly(state.switches.wake_idle_search)) {
    return comes_here ? context.cpu : FindIdleNear(state, task, {previous, context.cpu});
  }
  const bool stays_here = context.cpu == previous || comes_here;
  const CpuNumber target = stays_here ? context.cpu : Unattracted(state, task, context);
  return FindIdleNear(state, task, {target, context.cpu});
}

// An idle CPU that is large enough, else the largest idle one; kNoCpu where none is idle.
CpuNumber FittingIdle(State& state, const Task& task, CpuNumber by) {
  CpuNumber largest = kNoCpu;
  const CpuSet& online = state.domains.online();
  for (CpuNumber cpu = online.First(); cpu != kNoCpu; cpu = online.NextFrom(cpu + 1)) {
    if (!task.MayRunOn(cpu) || !ProbeIsIdle(state, by, cpu)) continue;
    if (!IsMisfit(state, task, cpu)) return cpu;
    const bool is_larger =
        largest == kNoCpu || state.domains.PowerOf(cpu) > state.domains.PowerOf(largest);
    if (is_larger) largest = cpu;
  }
  return largest;
}

}  // namespace

CpuNumber SelectCpuForWakeup(State& state, Task& task, const Context& context) {
  if (task.IsPinned()) return task.cpu;
  if (state.switches.wakeup_fallback == WakeupFallback::kLongestIdle) {
    const CpuNumber longest = LongestIdle(state, task, context.cpu);
    if (longest != kNoCpu) return longest;
  }
  if (!task.MayRunOn(context.cpu)) return task.cpu;
  if (IsMisfit(state, task, context.cpu) && IsMisfit(state, task, task.cpu)) {
    const CpuNumber fitting = FittingIdle(state, task, context.cpu);
    if (fitting != kNoCpu) return fitting;
  }
  if (SearchesWhileClimbing(state.switches.wake_idle_search)) {
    return SelectWhileClimbing(state, task, context);
  }
  return SelectAfterAffineTest(state, task, context);
}

CpuNumber SelectCpuForNew(State& state, const Task& task, const Context& context) {
  const CpuNumber cpu = task.MayRunOn(context.cpu) ? context.cpu : task.FirstAllowed();
  if (task.IsPinned()) return cpu;
  const CpuNumber idlest = FindIdlest(state, task, {cpu, context.cpu, WalkReason::kNewTask});
  return idlest == kNoCpu ? cpu : idlest;
}

}  // namespace schedlab::sim::fair
