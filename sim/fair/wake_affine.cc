#include "sim/fair/wake_affine.h"

#include <algorithm>

#include "sim/fair/groups.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kLeastShares = 2;

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

// What a task of `weight` more (or less) on `cpu` changes there at the root once the shares of its
// groups are split anew. `total` is how much the group as a whole gains by it.
std::int64_t GroupEffect(State& state, const Task& task, CpuNumber cpu, std::int64_t weight,
                         std::int64_t total) {
  const CfsQueue* queue = &QueueOf(state, task, cpu);
  for (; queue->group != nullptr; queue = queue->entity->queue) {
    const std::int64_t shares_of_group = queue->group->shares;
    const std::int64_t here = queue->weight + weight;
    const std::int64_t all = GroupLoadSeenFrom(state, *queue) + total;
    const bool is_part = all > 0 && here < all;
    const std::int64_t shares = is_part ? here * shares_of_group / all : shares_of_group;
    weight = std::max(shares, kLeastShares) - queue->entity->weight;
    total = 0;
  }
  return weight;
}

// The two sides of an affine test.
struct Sides {
  std::int64_t here = 0;
  std::int64_t there = 0;
  bool is_sync = false;
};

bool IsSync(const State& state, const Task& task, const Context& context) {
  if (context.hint != WakeHint::kSync || state.Queue(context.cpu).current == nullptr) return false;
  const SimDuration most = state.tunables.migration_cost;
  switch (state.switches.wake_affine_rule) {
    case WakeAffineRule::kOverlapSync:
    case WakeAffineRule::kOverlapSyncLoaded:
      return state.Queue(context.cpu).current->fair.average_overlap <= most &&
             task.fair.average_overlap <= most;
    case WakeAffineRule::kLoadOrLessThanATask:
    case WakeAffineRule::kLoad:
    case WakeAffineRule::kSameCache:
    case WakeAffineRule::kIdleOrWeight:
    case WakeAffineRule::kIdleOrWeightOrPrev:
      return true;
  }
  return true;
}

Sides MeasureSides(State& state, const DomainParameters& domain, const Task& task,
                   const Context& context) {
  const LoadReading reading{domain.wake_index, 100 + (domain.imbalance_pct - 100) / 2};
  Sides sides{.here = TargetLoad(state, context.cpu, reading),
              .there = SourceLoad(state, task.cpu, reading),
              .is_sync = IsSync(state, task, context)};
  if (!sides.is_sync) return sides;
  // The waker is about to sleep: this CPU is as good as rid of it.
  const Task& waker = *state.Queue(context.cpu).current;
  const std::int64_t weight = waker.fair.weight;
  sides.here += GroupEffect(state, waker, context.cpu, -weight, -weight);
  sides.there += GroupEffect(state, waker, task.cpu, 0, -weight);
  return sides;
}

bool IsLight(State& state, const Sides& sides, std::int64_t percent, const Task& task,
             CpuNumber cpu) {
  const std::int64_t weight = task.fair.weight;
  std::int64_t here = 100 * (sides.here + GroupEffect(state, task, cpu, weight, weight));
  std::int64_t there = percent * (sides.there + GroupEffect(state, task, task.cpu, 0, weight));
  switch (state.switches.wake_affine_rule) {
    case WakeAffineRule::kOverlapSyncLoaded:
      return here <= there;
    case WakeAffineRule::kOverlapSync:
      return sides.here <= 0 || here <= there;
    case WakeAffineRule::kLoadOrLessThanATask:
    case WakeAffineRule::kLoad:
    case WakeAffineRule::kSameCache:
    case WakeAffineRule::kIdleOrWeight:
    case WakeAffineRule::kIdleOrWeightOrPrev:
      break;
  }
  here *= state.domains.PowerOf(task.cpu);
  there *= state.domains.PowerOf(cpu);
  return sides.here <= 0 || here <= there;
}

bool IsLessThanATask(const State& state, const DomainParameters& domain, const Sides& sides,
                     const Task& task, CpuNumber cpu) {
  switch (state.switches.wake_affine_rule) {
    case WakeAffineRule::kLoadOrLessThanATask:
    case WakeAffineRule::kOverlapSync:
    case WakeAffineRule::kOverlapSyncLoaded:
      break;
    case WakeAffineRule::kLoad:
    case WakeAffineRule::kSameCache:
    case WakeAffineRule::kIdleOrWeight:
    case WakeAffineRule::kIdleOrWeightOrPrev:
      return false;
  }
  const LoadReading reading{domain.wake_index, 100 + (domain.imbalance_pct - 100) / 2};
  return sides.here <= sides.there &&
         sides.here + TargetLoad(state, task.cpu, reading) <= CpuLoadPerTask(state, cpu);
}

bool IsAttractedByLoad(State& state, Domain& domain, const Task& task, const Context& context) {
  const DomainParameters& parameters = domain.parameters;
  const Sides sides = MeasureSides(state, parameters, task, context);
  const std::int64_t percent = 100 + (parameters.imbalance_pct - 100) / 2;
  const bool is_light = IsLight(state, sides, percent, task, context.cpu);
  if (sides.is_sync && is_light) return true;
  if (!is_light && !IsLessThanATask(state, parameters, sides, task, context.cpu)) return false;
  ++state.machine.counters().wakeups_moved_affine;
  ++domain.wakeups_moved_affine;
  return true;
}

// Of 4.14: the load that would be here, without the waker where it is about to sleep, against what
// is left there, each scaled by the power of the other side.
bool IsLighterHere(State& state, const Domain& domain, const Task& task, const Context& context) {
  const std::int64_t moved = TaskLoad(state, task);
  std::int64_t here = CpuLoad(state, context.cpu);
  std::int64_t there = CpuLoad(state, task.cpu) - moved;
  if (IsSync(state, task, context)) {
    here -= TaskLoad(state, *state.Queue(context.cpu).current);
    if (here < 0) return true;
  }
  const std::int64_t percent = 100 + (domain.parameters.imbalance_pct - 100) / 2;
  here = 100 * (here + moved) * state.domains.PowerOf(task.cpu);
  there = percent * there * state.domains.PowerOf(context.cpu);
  return here < there;
}

bool IsAttractedByIdleness(State& state, Domain& domain, const Task& task, const Context& context) {
  const bool shares_cache =
      state.machine.DistanceBetween(context.cpu, task.cpu) <= Distance::kSameLlc;
  const bool is_there_idle = IsIdleToWakeups(state, task.cpu);
  bool comes_here = false;
  if (shares_cache && IsIdleToWakeups(state, context.cpu)) {
    comes_here = !is_there_idle;
  } else if (IsSync(state, task, context) && state.RunnableCount(context.cpu) == 1) {
    comes_here = true;
  } else {
    const bool stays_idle =
        state.switches.wake_affine_rule == WakeAffineRule::kIdleOrWeightOrPrev && is_there_idle;
    comes_here = !stays_idle && IsLighterHere(state, domain, task, context);
  }
  if (!comes_here) return false;
  ++state.machine.counters().wakeups_moved_affine;
  ++domain.wakeups_moved_affine;
  return true;
}

}  // namespace

Domain* AffineDomain(State& state, const Task& task, const Context& context) {
  std::vector<Domain>& domains = state.domains.Of(context.cpu);
  const auto is_affine = [&](const Domain& domain) {
    return domain.parameters.attracts_wakeups && domain.set.Contains(task.cpu);
  };
  const auto found = std::find_if(domains.begin(), domains.end(), is_affine);
  return found == domains.end() ? nullptr : &*found;
}

bool IsAffine(State& state, Domain& domain, const Task& task, const Context& context) {
  if (state.switches.wake_affine == OnOff::kOff) return false;
  if (IsWideWaker(state, task, context)) return false;
  state.machine.ChargeProbe(context.cpu, task.cpu);
  switch (state.switches.wake_affine_rule) {
    case WakeAffineRule::kSameCache:
      if (state.machine.DistanceBetween(context.cpu, task.cpu) <= Distance::kSameLlc) return true;
      break;
    case WakeAffineRule::kIdleOrWeight:
    case WakeAffineRule::kIdleOrWeightOrPrev:
      return IsAttractedByIdleness(state, domain, task, context);
    case WakeAffineRule::kLoadOrLessThanATask:
    case WakeAffineRule::kOverlapSync:
    case WakeAffineRule::kOverlapSyncLoaded:
    case WakeAffineRule::kLoad:
      break;
  }
  return IsAttractedByLoad(state, domain, task, context);
}

bool IsPassivelyBalanced(State& state, const Domain& domain, const Task& task,
                         const Context& context) {
  if (state.switches.wake_slow_path != WakeSlowPath::kPassiveBalance) return false;
  if (!domain.parameters.balances_wakeups) return false;
  const std::int64_t percent = 100 + (domain.parameters.imbalance_pct - 100) / 2;
  const LoadReading reading{domain.parameters.wake_index, percent};
  const bool moves = percent * TargetLoad(state, context.cpu, reading) <=
                     100 * SourceLoad(state, task.cpu, reading);
  state.machine.counters().wakeups_moved_balance += moves ? 1 : 0;
  return moves;
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
