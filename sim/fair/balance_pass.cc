#include "sim/fair/balance_pass.h"

#include <algorithm>
#include <limits>

#include "sim/fair/group_load.h"
#include "sim/fair/load_history.h"
#include "sim/fair/pull.h"

namespace schedlab::sim::fair {
namespace {

// Where everything is pinned the interval may grow beyond the level's own maximum.
constexpr std::int64_t kMaxPinnedIntervalMs = 512;

CpuNumber FirstIdleElseFirst(const State& state, const Pass& pass, const Group& group) {
  for (const CpuNumber cpu : group.cpus) {
    if (pass.candidates.Contains(cpu) && state.IsIdleCpu(cpu)) return cpu;
  }
  return group.cpus.front();
}

// The last idle one, else the first of least load.
CpuNumber LeastLoaded(const State& state, const Pass& pass, const Domain& domain) {
  const DomainParameters& parameters = domain.parameters;
  const std::size_t index =
      pass.idle == IdleType::kIdle ? parameters.idle_index : parameters.busy_index;
  CpuNumber elected = domain.groups.front()->cpus.front();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const CpuNumber cpu : domain.groups.front()->cpus) {
    if (!pass.candidates.Contains(cpu)) continue;
    const std::int64_t load = TargetLoad(state, cpu, index);
    if (load >= least && !state.IsIdleCpu(cpu)) continue;
    least = load;
    elected = cpu;
  }
  return elected;
}

bool IsOnIdleCore(const State& state, CpuNumber cpu) {
  const std::vector<Cpu>& cpus = state.machine.topology_cpus();
  for (CpuNumber other = 0; other < state.machine.cpu_count(); ++other) {
    const bool is_sibling =
        cpus[static_cast<std::size_t>(other)].core == cpus[static_cast<std::size_t>(cpu)].core;
    if (is_sibling && !state.IsIdleCpu(other)) return false;
  }
  return true;
}

// Among threads of one core a wholly idle core says nothing.
CpuNumber FirstOnIdleCore(const State& state, const Pass& pass, const Domain& domain) {
  const Group& group = *domain.groups.front();
  for (const CpuNumber cpu : group.cpus) {
    const bool may = domain.parameters.level != Level::kSmt && pass.candidates.Contains(cpu);
    if (may && IsOnIdleCore(state, cpu)) return cpu;
  }
  return FirstIdleElseFirst(state, pass, group);
}

// Only one CPU of a group balances for it. Whoever runs dry may.
bool IsElected(const State& state, const Pass& pass, const Domain& domain) {
  if (pass.idle == IdleType::kNewlyIdle) return true;
  const Group& group = *domain.groups.front();
  switch (state.switches.election) {
    case Election::kCorrect:
      return FirstIdleElseFirst(state, pass, group) == pass.cpu;
    case Election::kInverted:
      return FirstIdleElseFirst(state, pass, group) != pass.cpu;
    case Election::kLeastLoaded:
      return LeastLoaded(state, pass, domain) == pass.cpu;
    case Election::kIdleCoreFirst:
      return FirstOnIdleCore(state, pass, domain) == pass.cpu;
  }
  return true;
}

void LengthenInterval(Domain& domain, bool all_pinned) {
  const bool may_grow = domain.interval_ms < domain.parameters.max_interval_ms ||
                        (all_pinned && domain.interval_ms < kMaxPinnedIntervalMs);
  if (may_grow) domain.interval_ms *= 2;
}

void LeaveBalanced(Domain& domain, PassCounters& counters, bool all_pinned) {
  ++counters.balanced;
  domain.failed_count = 0;
  LengthenInterval(domain, all_pinned);
}

void ChargeStatistics(State& state, const Pass& pass, const Domain& domain) {
  state.machine.Charge(pass.by, state.machine.costs().balance_pass_ns);
  for (const CpuNumber cpu : domain.span) state.machine.ChargeProbe(pass.by, cpu);
}

// Tells the level above whether this one could not be evened out because of affinity.
void NoteAffinityImbalance(State& state, const Pass& pass, const PullOutcome& pull) {
  std::vector<Domain>& domains = state.domains.Of(pass.cpu);
  if (pass.level + 1 >= domains.size()) return;
  domains[pass.level + 1].groups.front()->has_affinity_imbalance =
      pull.some_pinned && pull.imbalance_left > 0;
}

// After so many failures, and if the running task of `busiest` may come here at all, it is pushed.
// Returns whether a push is under way that this pass started.
bool MaybeStartActiveBalance(State& state, const Pass& pass, Domain& domain, CpuNumber busiest,
                             bool& all_pinned) {
  if (pass.idle == IdleType::kNewlyIdle) return false;
  if (domain.failed_count <= domain.parameters.cache_nice_tries + 2) return false;
  RunQueue& queue = state.Queue(busiest);
  if (queue.current != nullptr && !queue.current->MayRunOn(pass.cpu)) {
    all_pinned = true;
    return false;
  }
  const bool starts = !queue.is_pushing;
  if (starts) {
    queue.is_pushing = true;
    queue.push_target = pass.cpu;
    state.machine.SendIpi(busiest, pass.by, IpiReason::kPush);
  }
  domain.failed_count = domain.parameters.cache_nice_tries + 1;
  return starts;
}

void HandleFailure(State& state, const Pass& pass, CpuNumber busiest, PassCounters& counters) {
  Domain& domain = state.domains.Of(pass.cpu)[pass.level];
  ++counters.failed;
  if (pass.idle != IdleType::kNewlyIdle) ++domain.failed_count;
  bool all_pinned = false;
  const bool is_pushing = MaybeStartActiveBalance(state, pass, domain, busiest, all_pinned);
  if (all_pinned) {
    LengthenInterval(domain, true);
  } else if (is_pushing) {
    domain.interval_ms = std::min(domain.interval_ms * 2,
                                  std::max(domain.interval_ms, domain.parameters.max_interval_ms));
  } else {
    domain.interval_ms = domain.parameters.min_interval_ms;
  }
}

struct Choice {
  CpuNumber busiest = kNoCpu;
  bool is_elected = true;
};

// Election, statistics and the queue to pull from.
Choice Choose(State& state, Pass& pass) {
  const Domain& domain = state.domains.Of(pass.cpu)[pass.level];
  if (!IsElected(state, pass, domain)) return {.is_elected = false};
  ChargeStatistics(state, pass, domain);
  const DomainLoad loads = MeasureDomain(state, pass);
  if (IsBalanced(state, pass, loads)) return {};
  pass.imbalance = ImbalanceOf(state, pass, loads);
  const CpuNumber busiest = BusiestQueue(state, pass, *loads.busiest.group);
  if (busiest == pass.cpu) return {};
  return {.busiest = busiest};
}

}  // namespace

PassOutcome RunPass(State& state, const PassRequest& request) {
  Domain& domain = state.domains.Of(request.cpu)[request.level];
  PassCounters& counters = domain.passes[static_cast<std::size_t>(request.idle)];
  Pass pass{request.by, request.cpu, request.level, request.idle, state.machine.AllCpus(), 0};
  ++counters.count;
  bool all_pinned = false;
  while (true) {
    const Choice choice = Choose(state, pass);
    if (choice.busiest == kNoCpu) {
      LeaveBalanced(domain, counters, all_pinned);
      return {.may_climb = choice.is_elected};
    }
    PullOutcome pull;
    if (state.Queue(choice.busiest).task_count > 1) {
      pull = Pull(state, pass, choice.busiest);
      NoteAffinityImbalance(state, pass, pull);
      if (pull.all_pinned) {
        all_pinned = true;
        pass.candidates.Remove(choice.busiest);
        if (pass.candidates.First() != kNoCpu) continue;
        LeaveBalanced(domain, counters, true);
        return {};
      }
    }
    if (pull.moved_count == 0) {
      HandleFailure(state, pass, choice.busiest, counters);
      return {};
    }
    ++counters.moved_passes;
    domain.failed_count = 0;
    domain.interval_ms = domain.parameters.min_interval_ms;
    return {.moved_count = pull.moved_count};
  }
}

bool PushOneTask(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  queue.is_pushing = false;
  // A lone task moves too: next to the stopper thread that executes this it is not alone.
  if (queue.task_count < 1) return false;
  std::vector<Domain>& domains = state.domains.Of(queue.push_target);
  const auto spans = [cpu](const Domain& domain) { return domain.set.Contains(cpu); };
  const auto domain = std::find_if(domains.begin(), domains.end(), spans);
  if (domain == domains.end()) return false;
  Pass pass{.by = cpu,
            .cpu = queue.push_target,
            .level = static_cast<std::size_t>(domain - domains.begin()),
            .idle = IdleType::kIdle,
            .candidates = state.machine.AllCpus()};
  ++state.machine.counters().active_balances;
  const bool moved = PullOneRunning(state, pass, cpu);
  ++(moved ? state.machine.counters().active_pushed : state.machine.counters().active_failed);
  return moved;
}

}  // namespace schedlab::sim::fair
