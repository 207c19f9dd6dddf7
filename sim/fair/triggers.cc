#include "sim/fair/triggers.h"

#include <algorithm>

#include "sim/fair/balance_pass.h"
#include "sim/fair/groups.h"
#include "sim/fair/nohz.h"

namespace schedlab::sim::fair {
namespace {

bool PassesGate(const State& state, CpuNumber cpu) {
  const bool asks = state.switches.newidle_overload_check == OffOn::kOn;
  if (asks && !state.balance.has_overload) return false;
  const SimDuration average_idle = state.Queue(cpu).average_idle;
  switch (state.switches.newidle_gate) {
    case NewidleGate::kNone:
      return true;
    case NewidleGate::kAvgIdle:
    case NewidleGate::kAvgIdleAndDomainCost:
    case NewidleGate::kAvgIdleFromZero:
      return average_idle >= state.tunables.migration_cost;
    case NewidleGate::kDomainCost: {
      const std::vector<Domain>& domains = state.domains.Of(cpu);
      return domains.empty() || average_idle >= domains.front().max_newidle_cost;
    }
  }
  return true;
}

bool IsWorthClimbing(const State& state, const RunQueue& queue, const Domain& domain,
                     SimDuration spent) {
  switch (state.switches.newidle_gate) {
    case NewidleGate::kAvgIdle:
    case NewidleGate::kAvgIdleFromZero:
    case NewidleGate::kNone:
      return true;
    case NewidleGate::kAvgIdleAndDomainCost:
    case NewidleGate::kDomainCost:
      return queue.average_idle >= spent + domain.max_newidle_cost;
  }
  return true;
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
  bool counts_as_pull = false;  // also where a pass was told to stop the climb
  std::int64_t next_tick = 0;
};

// Up the domains until something was pulled.
Walk WalkNewlyIdle(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  Walk walk{.next_tick = state.machine.tick_count() + state.machine.tick_hz()};
  const SimDuration overhead_before = state.machine.times(cpu).overhead;
  SimDuration spent{0};
  std::vector<Domain>& domains = state.domains.Of(cpu);
  for (std::size_t level = 0; level < domains.size(); ++level) {
    Domain& domain = domains[level];
    if (!IsWorthClimbing(state, queue, domain, spent)) break;
    PassOutcome outcome;
    if (domain.parameters.balances_newidle) {
      outcome = RunPass(state, {cpu, cpu, level, IdleType::kNewlyIdle});
    }
    const SimDuration total = state.machine.times(cpu).overhead - overhead_before;
    domain.max_newidle_cost = std::max(domain.max_newidle_cost, total - spent);
    spent = total;
    const std::int64_t interval = state.TicksFromMs(domain.interval_ms);
    walk.next_tick = std::min(walk.next_tick, domain.last_balance_tick + interval);
    walk.pulled = outcome.moved_count > 0;
    walk.counts_as_pull = outcome.counts_as_pull;
    if (walk.counts_as_pull) break;
  }
  queue.max_newidle_cost = std::max(queue.max_newidle_cost, spent);
  return walk;
}

}  // namespace

void BalanceAtTick(State& state, CpuNumber cpu) {
  NoteBusyTick(state, cpu);
  if (state.RunnableCount(cpu) > 1) state.balance.has_overload = true;
  if (state.machine.tick_count() < state.Queue(cpu).next_balance_tick) return;
  RunDuePasses(state, cpu, cpu, IdleType::kBusy);
}

bool BalanceNewlyIdle(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  queue.has_idle_stamp = true;
  queue.idle_stamp = state.machine.now();
  if (state.switches.newidle == OnOff::kOff) return false;
  ++state.machine.counters().newidle_entries;
  if (!PassesGate(state, cpu)) {
    ++state.machine.counters().newidle_gated;
    return false;
  }
  RefreshShares(state, cpu);
  const SimTime begin = state.machine.free_from(cpu);
  const Walk walk = WalkNewlyIdle(state, cpu);
  if (state.switches.newidle_lock == NewidleLock::kHeld) state.machine.HoldOwnLock(cpu, begin);
  if (walk.counts_as_pull) queue.has_idle_stamp = false;
  if (walk.counts_as_pull || state.machine.tick_count() > queue.next_balance_tick) {
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

}  // namespace schedlab::sim::fair
