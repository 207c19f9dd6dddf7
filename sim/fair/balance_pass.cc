#include "sim/fair/balance_pass.h"

#include <algorithm>
#include <limits>

#include "sim/fair/capacity.h"
#include "sim/fair/group_load.h"
#include "sim/fair/group_types.h"
#include "sim/fair/idle_search_sis.h"
#include "sim/fair/imbalance.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"
#include "sim/fair/pull.h"

namespace schedlab::sim::fair {
namespace {

// Where everything is pinned the interval may grow beyond the level's own maximum.
constexpr std::int64_t kMaxPinnedIntervalMs = 512;

bool MayBalance(const Pass& pass, const Group& group, CpuNumber cpu) {
  return group.balancers.Contains(cpu) && pass.candidates.Contains(cpu);
}

CpuNumber FirstBalancer(const Group& group) { return group.balancers.First(); }

CpuNumber FirstIdleElseFirst(const State& state, const Pass& pass, const Group& group) {
  for (const CpuNumber cpu : group.cpus) {
    if (state.IsIdleCpu(cpu) && MayBalance(pass, group, cpu)) return cpu;
  }
  return FirstBalancer(group);
}

// The last idle one, else the first of least load.
CpuNumber LeastLoaded(const State& state, const Pass& pass, const Domain& domain) {
  const DomainParameters& parameters = domain.parameters;
  const bool is_idle = pass.idle == IdleType::kIdle;
  const LoadReading reading{is_idle ? parameters.idle_index : parameters.busy_index,
                            parameters.imbalance_pct};
  const Group& group = *domain.groups.front();
  CpuNumber elected = FirstBalancer(group);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const CpuNumber cpu : group.cpus) {
    if (!MayBalance(pass, group, cpu)) continue;
    const std::int64_t load = TargetLoad(state, cpu, reading);
    if (load >= least && !state.IsIdleCpu(cpu)) continue;
    least = load;
    elected = cpu;
  }
  return elected;
}

bool IsOnIdleCore(const State& state, CpuNumber cpu) {
  const std::vector<CpuNumber>& threads = state.machine.ThreadsOfCore(cpu);
  return std::all_of(threads.begin(), threads.end(),
                     [&](CpuNumber each) { return state.IsIdleCpu(each); });
}

// Among threads of one core a wholly idle core says nothing.
CpuNumber FirstOnIdleCore(const State& state, const Pass& pass, const Domain& domain) {
  const Group& group = *domain.groups.front();
  if (domain.parameters.level == Level::kSmt) return FirstIdleElseFirst(state, pass, group);
  for (const CpuNumber cpu : group.cpus) {
    if (IsOnIdleCore(state, cpu) && MayBalance(pass, group, cpu)) return cpu;
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

// Whether a pass of this kind changes the interval of its level; `lengthens` or shortens it.
bool ChangesInterval(const State& state, const Pass& pass, bool lengthens) {
  if (pass.idle != IdleType::kNewlyIdle) return true;
  switch (state.switches.newidle_interval) {
    case NewidleInterval::kLengthens:
      return true;
    case NewidleInterval::kKept:
      return !lengthens;
    case NewidleInterval::kUntouched:
      return false;
  }
  return true;
}

void LengthenInterval(const State& state, const Pass& pass, Domain& domain, bool all_pinned) {
  const bool may_grow = domain.interval_ms < domain.parameters.max_interval_ms ||
                        (all_pinned && domain.interval_ms < kMaxPinnedIntervalMs);
  if (may_grow && ChangesInterval(state, pass, true)) domain.interval_ms *= 2;
}

void ResetInterval(const State& state, const Pass& pass, Domain& domain) {
  if (ChangesInterval(state, pass, false)) domain.interval_ms = domain.parameters.min_interval_ms;
}

// Whether the caller is to take the CPU for busy though nothing came of the pass. Among the threads
// of a core a busy one is reason enough, unless the pass itself was for an idle one beside idle
// ones.
bool StopsClimb(const State& state, const Pass& pass, bool has_tasks, bool has_failed) {
  if (state.switches.newidle_smt_early_stop == OffOn::kOff) return false;
  if (has_failed && pass.idle == IdleType::kNewlyIdle) return true;
  const bool is_quiet = pass.idle != IdleType::kBusy && !has_tasks;
  return DomainOf(state, pass).parameters.shares_core && !is_quiet;
}

void ChargeStatistics(State& state, const Pass& pass, const Domain& domain) {
  state.machine.Charge(pass.by, state.machine.costs().balance_pass_ns);
  if (pass.by != pass.cpu) {
    state.machine.ChargeProbes(pass.by, domain.span);
  } else {
    state.machine.Charge(pass.by, domain.own_probes_ns);
  }
}

// Tells the level above whether this one could not be evened out because of affinity.
void NoteAffinityImbalance(State& state, const Pass& pass, const PullOutcome& pull) {
  std::vector<Domain>& domains = state.domains.Of(pass.cpu);
  if (pass.level + 1 >= domains.size()) return;
  domains[pass.level + 1].groups.front()->has_affinity_imbalance =
      pull.some_pinned && pull.imbalance_left > 0;
}

// Kernels that know group types push where it is a task that is wanted, not load; a misfit at once.
bool WantsPush(const State& state, const Pass& pass, const Domain& domain) {
  const bool has_failed = domain.failed_count > domain.parameters.cache_nice_tries + 2;
  if (!HasGroupTypes(state.switches.classification)) {
    return has_failed && pass.idle != IdleType::kNewlyIdle;
  }
  switch (pass.unit) {
    case MoveUnit::kMisfit:
      return true;
    case MoveUnit::kTask:
      return has_failed && pass.idle != IdleType::kNewlyIdle;
    case MoveUnit::kLoad:
    case MoveUnit::kUtil:
      return false;
  }
  return false;
}

// After so many failures, and if the running task of `busiest` may come here at all, it is pushed.
// Returns whether a push is under way that this pass started.
bool MaybeStartActiveBalance(State& state, const Pass& pass, Domain& domain, CpuNumber busiest,
                             bool& all_pinned) {
  if (!WantsPush(state, pass, domain)) return false;
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

// A newly idle pass that ends the climb has left before failures are counted.
bool CountsFailure(const State& state, const Pass& pass, bool stops_climb) {
  if (pass.idle != IdleType::kNewlyIdle) return true;
  return state.switches.newidle_failures == NewidleFailures::kCounted && !stops_climb;
}

void RestartCount(Pass& pass) {
  pass.looked_at = 0;
  pass.break_at = kMaxTasksPerPull;
}

// What a pass found out before it looked at any queue.
struct Choice {
  CpuNumber busiest = kNoCpu;
  bool is_elected = true;
  bool has_tasks = false;
};

// A pass as it goes on.
struct Course {
  State& state;
  Pass& pass;
  Domain& domain;
  PassCounters& counters;
  Choice choice;
  bool all_pinned = false;
};

PassOutcome LeaveBalanced(Course& course) {
  const bool stops = StopsClimb(course.state, course.pass, course.choice.has_tasks, false);
  ++course.counters.balanced;
  const bool keeps_failures = stops && course.pass.idle == IdleType::kNewlyIdle;
  if (!keeps_failures) course.domain.failed_count = 0;
  LengthenInterval(course.state, course.pass, course.domain, course.all_pinned);
  return {.may_climb = course.choice.is_elected, .counts_as_pull = stops};
}

PassOutcome LeaveFailed(Course& course) {
  const bool stops = StopsClimb(course.state, course.pass, course.choice.has_tasks, true);
  ++course.counters.failed;
  if (CountsFailure(course.state, course.pass, stops)) ++course.domain.failed_count;
  bool is_pinned = false;
  const bool is_pushing = MaybeStartActiveBalance(course.state, course.pass, course.domain,
                                                  course.choice.busiest, is_pinned);
  if (is_pinned) {
    LengthenInterval(course.state, course.pass, course.domain, true);
  } else if (is_pushing) {
    LengthenInterval(course.state, course.pass, course.domain, false);
  } else {
    ResetInterval(course.state, course.pass, course.domain);
  }
  return {.counts_as_pull = stops};
}

PassOutcome LeaveMoved(Course& course, std::int32_t moved_count) {
  ++course.counters.moved_passes;
  course.domain.failed_count = 0;
  ResetInterval(course.state, course.pass, course.domain);
  return {.moved_count = moved_count, .counts_as_pull = true};
}

void CountImbalance(const Pass& pass, PassCounters& counters) {
  switch (pass.unit) {
    case MoveUnit::kLoad:
      counters.imbalance_load += pass.imbalance;
      return;
    case MoveUnit::kUtil:
      counters.imbalance_util += pass.imbalance;
      return;
    case MoveUnit::kTask:
      counters.imbalance_task += pass.imbalance;
      return;
    case MoveUnit::kMisfit:
      counters.imbalance_misfit += pass.imbalance;
      return;
  }
}

// Measures the groups and notes in the pass what is to move. Null where that is nothing.
const Group* BusiestGroup(State& state, Pass& pass, bool& has_tasks) {
  UpdatePower(state, pass);
  if (HasGroupTypes(state.switches.classification)) {
    const TypedPlan plan = PlanByTypes(state, pass);
    has_tasks = plan.has_tasks;
    pass.imbalance = plan.imbalance;
    pass.unit = plan.unit;
    return plan.busiest;
  }
  const DomainLoad loads = MeasureDomain(state, pass);
  has_tasks = loads.has_tasks;
  if (IsBalanced(state, pass, loads)) return nullptr;
  pass.imbalance = ImbalanceOf(state, pass, loads);
  return loads.busiest.group;
}

// A pass of the highest level has seen all CPUs.
void RefreshOverload(State& state, const Pass& pass) {
  if (pass.level + 1 < state.domains.Of(pass.cpu).size()) return;
  const std::vector<CpuNumber>& span = DomainOf(state, pass).span;
  const auto is_overloaded = [&](CpuNumber cpu) { return state.RunnableCount(cpu) > 1; };
  state.balance.has_overload = std::any_of(span.begin(), span.end(), is_overloaded);
}

// A pass of a cache's level has seen how much of it is used.
void RefreshScanBudget(State& state, const Pass& pass) {
  if (state.switches.wake_idle_search != WakeIdleSearch::kSisUtil) return;
  const bool is_cache = static_cast<int>(pass.level) == state.domains.LlcLevel(pass.cpu);
  if (!is_cache || pass.idle == IdleType::kNewlyIdle) return;
  const Domain& domain = DomainOf(state, pass);
  std::int64_t utilization = 0;
  for (const CpuNumber cpu : domain.span) {
    utilization += std::min<std::int64_t>(CpuUtil(state, cpu), 1024);
  }
  NoteCacheUtilization(state, pass.cpu, utilization, domain.parameters.imbalance_pct);
}

// Election, statistics and the queue to pull from.
Choice Choose(Course& course) {
  State& state = course.state;
  Pass& pass = course.pass;
  if (!IsElected(state, pass, course.domain)) return {.is_elected = false};
  ChargeStatistics(state, pass, course.domain);
  Choice choice;
  const Group* const group = BusiestGroup(state, pass, choice.has_tasks);
  RefreshOverload(state, pass);
  RefreshScanBudget(state, pass);
  if (group == nullptr) {
    ++course.counters.no_busy_group;
    return choice;
  }
  choice.busiest = BusiestQueueByUnit(state, pass, *group);
  if (choice.busiest == kNoCpu || choice.busiest == pass.cpu) {
    ++course.counters.no_busy_queue;
    choice.busiest = kNoCpu;
    return choice;
  }
  CountImbalance(pass, course.counters);
  return choice;
}

}  // namespace

PassOutcome RunPass(State& state, const PassRequest& request) {
  Domain& domain = state.domains.Of(request.cpu)[request.level];
  Pass pass{.by = request.by,
            .cpu = request.cpu,
            .level = request.level,
            .idle = request.idle,
            .candidates = state.domains.online()};
  Course course{state, pass, domain, domain.passes[static_cast<std::size_t>(request.idle)], {}};
  ++course.counters.count;
  while (true) {
    course.choice = Choose(course);
    const CpuNumber busiest = course.choice.busiest;
    if (busiest == kNoCpu) return LeaveBalanced(course);
    // A task of another class is one too: the only fair one may wait behind it.
    if (state.RunnableCount(busiest) < 2) return LeaveFailed(course);
    const PullOutcome pull = Pull(state, pass, busiest);
    NoteAffinityImbalance(state, pass, pull);
    course.all_pinned = pull.all_pinned;
    if (pull.end == PullEnd::kBalanced) return LeaveBalanced(course);
    if (pull.end == PullEnd::kRestart) continue;
    if (pull.all_pinned) {
      pass.candidates.Remove(busiest);
      if (state.switches.pinned_retry == PinnedRetry::kGroupCpus) RestartCount(pass);
      if (pass.candidates.First() != kNoCpu) continue;
      return LeaveBalanced(course);
    }
    if (pull.moved_count == 0 || pull.counts_as_failure) return LeaveFailed(course);
    return LeaveMoved(course, pull.moved_count);
  }
}

bool PushOneTask(State& state, CpuNumber cpu) {
  RunQueue& queue = state.Queue(cpu);
  queue.is_pushing = false;
  // A lone task moves too: next to the stopper thread that executes this it is not alone.
  if (state.TaskCount(cpu) < 1) return false;
  const std::vector<Domain>& domains = state.domains.Of(queue.push_target);
  Domain* const domain = state.domains.LowestWith(queue.push_target, cpu);
  if (domain == nullptr) return false;
  const Pass pass{.by = cpu,
                  .cpu = queue.push_target,
                  .level = static_cast<std::size_t>(domain - domains.data()),
                  .idle = IdleType::kIdle,
                  .candidates = state.domains.online()};
  Counters& counters = state.machine.counters();
  ++counters.active_balances;
  ++domain->active_count;
  const bool moved = PullOneRunning(state, pass, cpu);
  ++(moved ? counters.active_pushed : counters.active_failed);
  ++(moved ? domain->active_pushed : domain->active_failed);
  return moved;
}

}  // namespace schedlab::sim::fair
