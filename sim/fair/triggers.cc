#include "sim/fair/triggers.h"

#include <algorithm>

#include "sim/fair/balance_pass.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kLongestWaitSeconds = 60;

std::int64_t IntervalTicks(const State& state, const Domain& domain, IdleType idle) {
  const std::int64_t factor = idle == IdleType::kIdle ? 1 : domain.parameters.busy_factor;
  const std::int64_t most =
      std::max<std::int64_t>(1, state.machine.tick_hz() * state.machine.cpu_count() / 10);
  return std::clamp<std::int64_t>(state.TicksFromMs(domain.interval_ms * factor), 1, most);
}

// Once a second and level. Returns whether it was due.
bool DecayNewidleCost(const State& state, Domain& domain) {
  if (state.switches.newidle_cost_decay == NewidleCostDecay::kNone) return false;
  const std::int64_t tick = state.machine.tick_count();
  if (tick <= domain.next_decay_tick) return false;
  domain.next_decay_tick = tick + state.machine.tick_hz();
  domain.max_newidle_cost = domain.max_newidle_cost * 253 / 256;
  return true;
}

// The passes of `cpu` that are due, lowest level first, executed by `by`.
void RunDuePasses(State& state, CpuNumber by, CpuNumber cpu, IdleType idle) {
  const std::int64_t tick = state.machine.tick_count();
  RunQueue& queue = state.Queue(cpu);
  std::int64_t next_tick = tick + kLongestWaitSeconds * state.machine.tick_hz();
  RefreshShares(state, cpu);
  std::vector<Domain>& domains = state.domains.Of(cpu);
  bool may_climb = true;
  bool has_decayed = false;
  SimDuration newidle_cost{0};
  for (std::size_t level = 0; level < domains.size(); ++level) {
    Domain& domain = domains[level];
    has_decayed = DecayNewidleCost(state, domain) || has_decayed;
    newidle_cost += domain.max_newidle_cost;
    if (!may_climb && has_decayed) continue;
    if (!may_climb) break;
    // Of before the pass: a CPU that has just pulled is visited again as if it were still idle.
    const std::int64_t interval = IntervalTicks(state, domain, idle);
    if (tick >= domain.last_balance_tick + interval) {
      const PassOutcome outcome = RunPass(state, {by, cpu, level, idle});
      if (outcome.moved_count > 0) idle = IdleType::kBusy;
      may_climb = outcome.may_climb;
      domain.last_balance_tick = tick;
    }
    next_tick = std::min(next_tick, domain.last_balance_tick + interval);
  }
  if (has_decayed) queue.max_newidle_cost = std::max(state.tunables.migration_cost, newidle_cost);
  if (!domains.empty()) queue.next_balance_tick = next_tick;
}

// The CPU leaves the set of tickless ones only here, so the set names CPUs that are busy again.
void UnmarkTickless(State& state, CpuNumber cpu) {
  if (!state.tickless.Contains(cpu)) return;
  state.tickless.Remove(cpu);
  --state.tickless_count;
  for (Domain& domain : state.domains.Of(cpu)) ++domain.groups.front()->busy_cpu_count;
}

std::int64_t BusyCount(const State& state, const Domain& domain) {
  return std::count_if(domain.span.begin(), domain.span.end(),
                       [&](CpuNumber cpu) { return !state.tickless.Contains(cpu); });
}

// Two CPUs at most speak for all that are busy: the first one when it has a task too many, the
// second one whenever it has a task.
bool SpeaksForTheBusy(State& state, CpuNumber cpu) {
  const std::int32_t task_count = state.RunnableCount(cpu);
  if (task_count == 0) return false;
  if (state.first_kicker == kNoCpu || state.first_kicker == cpu) {
    state.first_kicker = cpu;
    if (state.second_kicker == cpu) state.second_kicker = kNoCpu;
    return task_count > 1;
  }
  if (state.second_kicker != kNoCpu && state.second_kicker != cpu) return false;
  state.second_kicker = cpu;
  return true;
}

// Whether a cache domain has another busy CPU whose work might be spread over idle ones.
bool HasBusyNeighbour(const State& state, CpuNumber cpu) {
  const std::vector<Domain>& domains = state.domains.Of(cpu);
  switch (state.switches.nohz_busy_count) {
    case NohzBusyCount::kEveryLevel:
      for (const Domain& domain : domains) {
        if (!domain.parameters.shares_llc) return false;
        if (domain.groups.front()->busy_cpu_count > 1) return true;
      }
      return false;
    case NohzBusyCount::kLlcParent: {
      const auto parent = static_cast<std::size_t>(state.domains.LlcLevel(cpu) + 1);
      return parent > 0 && parent < domains.size() &&
             domains[parent].groups.front()->busy_cpu_count > 1;
    }
    case NohzBusyCount::kLlcShared: {
      const int llc = state.domains.LlcLevel(cpu);
      return llc >= 0 && BusyCount(state, domains[static_cast<std::size_t>(llc)]) > 1;
    }
    case NohzBusyCount::kFirstTwoKickers:
      return false;
  }
  return false;
}

bool WantsKick(State& state, CpuNumber cpu) {
  if (state.switches.nohz_kick == OnOff::kOff || state.tickless_count == 0) return false;
  if (state.machine.tick_count() < state.nohz_next_balance_tick) return false;
  if (state.switches.nohz_busy_count == NohzBusyCount::kFirstTwoKickers) {
    return SpeaksForTheBusy(state, cpu);
  }
  return state.RunnableCount(cpu) >= 2 || HasBusyNeighbour(state, cpu);
}

// Only the first CPU of the set is asked, and only if it is idle at this instant.
void Kick(State& state, CpuNumber cpu) {
  ++state.nohz_next_balance_tick;
  const CpuNumber first = state.tickless.First();
  if (first == kNoCpu || !state.IsIdleCpu(first)) {
    ++state.machine.counters().nohz_kicks_unanswered;
    return;
  }
  if (state.Queue(first).is_balance_requested) return;
  state.Queue(first).is_balance_requested = true;
  ++state.machine.counters().nohz_kicks;
  state.machine.SendIpi(first, cpu, IpiReason::kBalance);
}

bool PassesGate(const State& state, const RunQueue& queue) {
  if (state.switches.newidle_gate == NewidleGate::kNone) return true;
  return queue.average_idle >= state.tunables.migration_cost;
}

bool IsWorthClimbing(const State& state, const RunQueue& queue, const Domain& domain,
                     SimDuration spent) {
  if (state.switches.newidle_gate != NewidleGate::kAvgIdleAndDomainCost) return true;
  return queue.average_idle >= spent + domain.max_newidle_cost;
}

SimDuration AverageIdleCap(const State& state, const RunQueue& queue) {
  switch (state.switches.avg_idle_cap) {
    case AvgIdleCap::kFixed1ms:
      return 2 * state.tunables.migration_cost;
    case AvgIdleCap::kTwiceMaxNewidleCost:
      return 2 * queue.max_newidle_cost;
  }
  return SimDuration{0};
}

struct Walk {
  bool pulled = false;
  std::int64_t next_tick = 0;
};

// Up the domains until something was pulled.
Walk WalkNewlyIdle(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  Walk walk{.next_tick = state.machine.tick_count() + state.machine.tick_hz()};
  const SimDuration overhead_before = state.machine.times(cpu).overhead;
  RefreshShares(state, cpu);
  SimDuration spent{0};
  std::vector<Domain>& domains = state.domains.Of(cpu);
  for (std::size_t level = 0; level < domains.size(); ++level) {
    Domain& domain = domains[level];
    if (!IsWorthClimbing(state, queue, domain, spent)) break;
    const PassOutcome outcome = RunPass(state, {cpu, cpu, level, IdleType::kNewlyIdle});
    const SimDuration total = state.machine.times(cpu).overhead - overhead_before;
    domain.max_newidle_cost = std::max(domain.max_newidle_cost, total - spent);
    spent = total;
    const std::int64_t interval = state.TicksFromMs(domain.interval_ms);
    walk.next_tick = std::min(walk.next_tick, domain.last_balance_tick + interval);
    if (outcome.moved_count > 0) {
      walk.pulled = true;
      break;
    }
  }
  queue.max_newidle_cost = std::max(queue.max_newidle_cost, spent);
  return walk;
}

}  // namespace

void BalanceAtTick(State& state, CpuNumber cpu) {
  UnmarkTickless(state, cpu);
  if (WantsKick(state, cpu)) Kick(state, cpu);
  if (state.machine.tick_count() < state.Queue(cpu).next_balance_tick) return;
  RunDuePasses(state, cpu, cpu, IdleType::kBusy);
}

void BalanceForIdleCpus(State& state, CpuNumber cpu) {
  RunQueue& own = state.Queue(cpu);
  own.is_balance_requested = false;
  if (!state.IsIdleCpu(cpu)) return;
  CatchUpIdleHistory(state, cpu);
  RunDuePasses(state, cpu, cpu, IdleType::kIdle);
  for (CpuNumber other = state.tickless.First(); other != kNoCpu;
       other = state.tickless.NextFrom(other + 1)) {
    if (other == cpu || !state.IsIdleCpu(other)) continue;
    if (state.machine.NeedsReschedule(cpu)) break;
    CatchUpIdleHistory(state, other);
    RunDuePasses(state, cpu, other, IdleType::kIdle);
    own.next_balance_tick = std::min(own.next_balance_tick, state.Queue(other).next_balance_tick);
  }
  state.nohz_next_balance_tick = own.next_balance_tick;
}

bool BalanceNewlyIdle(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  queue.has_idle_stamp = true;
  queue.idle_stamp = state.machine.now();
  if (state.switches.newidle == OnOff::kOff) return false;
  ++state.machine.counters().newidle_entries;
  if (!PassesGate(state, queue)) {
    ++state.machine.counters().newidle_gated;
    return false;
  }
  const Walk walk = WalkNewlyIdle(state, cpu);
  if (walk.pulled) queue.has_idle_stamp = false;
  if (walk.pulled || state.machine.tick_count() > queue.next_balance_tick) {
    queue.next_balance_tick = walk.next_tick;
  }
  return walk.pulled;
}

void NoteWakeupAfterIdle(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  if (!queue.has_idle_stamp) return;
  queue.has_idle_stamp = false;
  const SimDuration idle = state.machine.now() - queue.idle_stamp;
  const SimDuration cap = AverageIdleCap(state, queue);
  const SimDuration averaged =
      queue.average_idle + SimDuration((idle - queue.average_idle).count() >> 3);
  switch (state.switches.avg_idle_update) {
    case AvgIdleUpdate::kLongIdleSetsCap:
      queue.average_idle = idle > cap ? cap : averaged;
      break;
    case AvgIdleUpdate::kAveragedThenCapped:
      queue.average_idle = std::min(averaged, cap);
      break;
  }
}

void MarkTickless(State& state, CpuNumber cpu) {
  if (state.tickless.Contains(cpu)) return;
  state.tickless.Add(cpu);
  if (state.first_kicker == cpu) state.first_kicker = kNoCpu;
  if (state.second_kicker == cpu) state.second_kicker = kNoCpu;
  ++state.tickless_count;
  for (Domain& domain : state.domains.Of(cpu)) --domain.groups.front()->busy_cpu_count;
}

}  // namespace schedlab::sim::fair
