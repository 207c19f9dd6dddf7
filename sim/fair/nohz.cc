#include "sim/fair/nohz.h"

#include <algorithm>

#include "sim/fair/balance_pass.h"
#include "sim/fair/group_types.h"
#include "sim/fair/groups.h"
#include "sim/fair/idle_search_sis.h"
#include "sim/fair/load_history.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kLongestWaitSeconds = 60;

std::int64_t IntervalTicks(const State& state, const Domain& domain, IdleType idle) {
  const bool is_busy = idle != IdleType::kIdle;
  const std::int64_t factor = is_busy ? domain.parameters.busy_factor : 1;
  // One tick off, so that the busy passes of two levels do not meet again and again.
  const bool is_shorter = is_busy && state.switches.domain_constants == DomainConstants::kFrom510;
  const std::int64_t most =
      std::max<std::int64_t>(1, state.machine.tick_hz() * state.machine.cpu_count() / 10);
  const std::int64_t ticks = state.TicksFromMs(domain.interval_ms * factor);
  return std::clamp<std::int64_t>(is_shorter ? ticks - 1 : ticks, 1, most);
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

// A level above the nodes is balanced by one CPU of the machine at a time.
bool IsTaken(const State& state, const Domain& domain) {
  return domain.parameters.is_serialized && state.machine.now() < state.balance.node_pass_until;
}

void NoteSerialPass(State& state, const Domain& domain, SimDuration cost) {
  if (!domain.parameters.is_serialized) return;
  state.balance.node_pass_until = state.machine.now() + cost;
}

PassOutcome RunPeriodicPass(State& state, const Domain& domain, const PassRequest& request) {
  const SimDuration before = state.machine.times(request.by).overhead;
  const PassOutcome outcome = RunPass(state, request);
  NoteSerialPass(state, domain, state.machine.times(request.by).overhead - before);
  return outcome;
}

void AddTickless(State& state, CpuNumber cpu) {
  if (state.tickless.Contains(cpu)) return;
  state.tickless.Add(cpu);
  ++state.tickless_count;
}

void RemoveTickless(State& state, CpuNumber cpu) {
  if (!state.tickless.Contains(cpu)) return;
  state.tickless.Remove(cpu);
  --state.tickless_count;
}

std::int64_t BusyCount(const State& state, const std::vector<CpuNumber>& cpus) {
  return std::count_if(cpus.begin(), cpus.end(),
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
        if (BusyCount(state, domain.groups.front()->cpus) > 1) return true;
      }
      return false;
    case NohzBusyCount::kLlcParent: {
      const auto parent = static_cast<std::size_t>(state.domains.LlcLevel(cpu) + 1);
      return parent > 0 && parent < domains.size() &&
             BusyCount(state, domains[parent].groups.front()->cpus) > 1;
    }
    case NohzBusyCount::kLlcShared: {
      const int llc = state.domains.LlcLevel(cpu);
      return llc >= 0 && BusyCount(state, domains[static_cast<std::size_t>(llc)].span) > 1;
    }
    case NohzBusyCount::kFirstTwoKickers:
      return false;
  }
  return false;
}

// An idle CPU that is larger might take it (Linux 4.20 on).
bool HasMisfit(const State& state, CpuNumber cpu) {
  const Task* const current = state.Queue(cpu).current;
  return current != nullptr && IsMisfit(state, *current, cpu);
}

bool WantsKick(State& state, CpuNumber cpu) {
  if (state.switches.nohz_kick == OnOff::kOff || state.tickless_count == 0) return false;
  if (state.machine.tick_count() < state.nohz_next_balance_tick) return false;
  if (state.switches.nohz_busy_count == NohzBusyCount::kFirstTwoKickers) {
    return SpeaksForTheBusy(state, cpu);
  }
  return state.RunnableCount(cpu) >= 2 || HasMisfit(state, cpu) || HasBusyNeighbour(state, cpu);
}

// Before 5.2 only the first CPU of the set is asked, and only if it is idle at this instant.
CpuNumber KickTarget(const State& state) {
  CpuNumber target = state.tickless.First();
  switch (state.switches.nohz_kick_target) {
    case NohzKickTarget::kFirstOfMask:
      break;
    case NohzKickTarget::kFirstIdle:
      while (target != kNoCpu && !state.IsIdleCpu(target)) {
        target = state.tickless.NextFrom(target + 1);
      }
      break;
  }
  return target != kNoCpu && state.IsIdleCpu(target) ? target : kNoCpu;
}

void Kick(State& state, CpuNumber cpu) {
  ++state.nohz_next_balance_tick;
  const CpuNumber first = KickTarget(state);
  if (first == kNoCpu) {
    ++state.machine.counters().nohz_kicks_unanswered;
    return;
  }
  if (state.Queue(first).is_balance_requested) return;
  state.Queue(first).is_balance_requested = true;
  ++state.machine.counters().nohz_kicks;
  state.machine.SendIpi(first, cpu, IpiReason::kBalance);
}

bool HasOwner(const State& state) {
  return state.switches.nohz_balancer == NohzBalancer::kOwner &&
         state.switches.nohz_kick == OnOff::kOn;
}

void ArmIdleTick(State& state, CpuNumber cpu) {
  BalanceState& balance = state.balance;
  if (balance.idle_tick_timers.empty()) {
    for (CpuNumber each = 0; each < state.machine.cpu_count(); ++each) {
      balance.idle_tick_timers.push_back(state.machine.AddPolicyTimer(each));
    }
  }
  const SimDuration period = state.machine.tick_period();
  const SimTime next = SimTime(period * (state.machine.tick_count() + 1));
  state.machine.ArmPolicyTimer(balance.idle_tick_timers[static_cast<std::size_t>(cpu)], next);
}

bool AllAreIdle(const State& state) {
  return state.tickless_count >= state.domains.online().Count();
}

// With all CPUs idle nobody needs to balance. Else the first CPU without a tick keeps its own.
void MaybeOwn(State& state, CpuNumber cpu) {
  CpuNumber& owner = state.balance.idle_owner;
  if (AllAreIdle(state)) {
    if (owner == cpu) owner = kNoCpu;
    return;
  }
  if (owner == kNoCpu) owner = cpu;
  if (owner == cpu) ArmIdleTick(state, cpu);
}

// The first of the idle CPUs is to become the owner where there is none.
void NameOwner(State& state, CpuNumber cpu) {
  if (!state.balance.recently_idle.Contains(cpu)) return;
  state.balance.recently_idle.Remove(cpu);
  const CpuNumber first = state.tickless.First();
  if (state.balance.idle_owner != kNoCpu || first == kNoCpu) return;
  ++state.machine.counters().nohz_kicks;
  state.machine.SendIpi(first, cpu, IpiReason::kBalance);
}

void RunPassesOfOthers(State& state, CpuNumber cpu) {
  RunQueue& own = state.Queue(cpu);
  for (CpuNumber other = state.tickless.First(); other != kNoCpu;
       other = state.tickless.NextFrom(other + 1)) {
    if (other == cpu || !state.IsIdleCpu(other)) continue;
    if (state.machine.NeedsReschedule(cpu)) break;
    CatchUpIdleHistory(state, other);
    RunDuePasses(state, cpu, other, IdleType::kIdle);
    own.next_balance_tick = std::min(own.next_balance_tick, state.Queue(other).next_balance_tick);
  }
}

}  // namespace

void MarkTickless(State& state, CpuNumber cpu) {
  state.balance.idle_since[static_cast<std::size_t>(cpu)] = state.machine.now();
  NoteIdleCore(state, cpu);
  if (!state.domains.online().Contains(cpu)) return;
  AddTickless(state, cpu);
  if (state.first_kicker == cpu) state.first_kicker = kNoCpu;
  if (state.second_kicker == cpu) state.second_kicker = kNoCpu;
  if (!HasOwner(state)) return;
  state.balance.recently_idle.Add(cpu);
  MaybeOwn(state, cpu);
}

void NoteIdleEnd(State& state, CpuNumber cpu) {
  CatchUpIdleHistory(state, cpu);
  if (state.switches.nohz_balancer != NohzBalancer::kOwner) return;
  RemoveTickless(state, cpu);
  if (state.balance.idle_owner == cpu) state.balance.idle_owner = kNoCpu;
}

void NoteBusyTick(State& state, CpuNumber cpu) {
  RemoveTickless(state, cpu);
  if (HasOwner(state)) {
    NameOwner(state, cpu);
  } else if (WantsKick(state, cpu)) {
    Kick(state, cpu);
  }
}

void RunDuePasses(State& state, CpuNumber by, CpuNumber cpu, IdleType idle) {
  RefreshShares(state, cpu);
  const std::int64_t tick = state.machine.tick_count();
  RunQueue& queue = state.Queue(cpu);
  std::int64_t next_tick = tick + kLongestWaitSeconds * state.machine.tick_hz();
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
    if (!IsTaken(state, domain) && tick >= domain.last_balance_tick + interval) {
      const PassOutcome outcome = RunPeriodicPass(state, domain, {by, cpu, level, idle});
      if (outcome.counts_as_pull) idle = IdleType::kBusy;
      may_climb = outcome.may_climb;
      domain.last_balance_tick = tick;
    }
    next_tick = std::min(next_tick, domain.last_balance_tick + interval);
  }
  if (has_decayed) queue.max_newidle_cost = std::max(state.tunables.migration_cost, newidle_cost);
  if (!domains.empty()) queue.next_balance_tick = next_tick;
}

void BalanceForIdleCpus(State& state, CpuNumber cpu) {
  RunQueue& own = state.Queue(cpu);
  own.is_balance_requested = false;
  if (!state.IsIdleCpu(cpu)) return;
  if (HasOwner(state)) {
    MaybeOwn(state, cpu);
    return;
  }
  CatchUpIdleHistory(state, cpu);
  RunDuePasses(state, cpu, cpu, IdleType::kIdle);
  RunPassesOfOthers(state, cpu);
  state.nohz_next_balance_tick = own.next_balance_tick;
}

bool HandleIdleTick(State& state, CpuNumber cpu, std::int32_t timer) {
  const std::vector<std::int32_t>& timers = state.balance.idle_tick_timers;
  if (std::find(timers.begin(), timers.end(), timer) == timers.end()) return false;
  // The tick of a CPU that has gone offline meanwhile comes to another one.
  if (state.machine.CpuOfPolicyTimer(timer) != cpu) return true;
  if (state.balance.idle_owner != cpu || !state.IsIdleCpu(cpu)) return true;
  state.machine.Charge(cpu, state.machine.costs().tick_ns);
  CatchUpIdleHistory(state, cpu);
  if (state.machine.tick_count() >= state.Queue(cpu).next_balance_tick) {
    RunDuePasses(state, cpu, cpu, IdleType::kIdle);
    RunPassesOfOthers(state, cpu);
  }
  MaybeOwn(state, cpu);
  return true;
}

}  // namespace schedlab::sim::fair
