#include "sim/fair/idle_search_sis.h"

#include <algorithm>
#include <limits>
#include <span>

#include "sim/fair/load.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeastBudget = 4;

// One search as it goes on.
struct Search {
  State& state;
  const Task& task;
  CpuNumber target;
  CpuNumber by;
  const Domain& domain;
  CacheState& cache;

  bool Finds(CpuNumber cpu) const { return task.MayRunOn(cpu) && ProbeIsIdle(state, by, cpu); }
};

CacheState& CacheOf(State& state, const Domain& domain) {
  return state.balance.caches[static_cast<std::size_t>(domain.span.front())];
}

// The threads of the core of `cpu`, itself included.
std::span<const CpuNumber> ThreadsOf(const State& state, const CpuNumber& cpu) {
  const std::vector<Domain>& domains = state.domains.Of(cpu);
  if (domains.empty() || !domains.front().parameters.shares_core) return {&cpu, 1};
  return domains.front().span;
}

// Calls `visit(cpu)` for the CPUs of the domain in order of number, wrapping, from `first` on,
// until one returns true.
template <class Visit>
void VisitRingFrom(const Domain& domain, CpuNumber first, Visit visit) {
  const std::vector<CpuNumber>& span = domain.span;
  const auto begin = std::lower_bound(span.begin(), span.end(), first);
  if (std::any_of(begin, span.end(), visit)) return;
  std::any_of(span.begin(), begin, visit);
}

CpuNumber FirstOfRing(const Search& search) {
  const bool is_util = search.state.switches.wake_idle_search == WakeIdleSearch::kSisUtil;
  return is_util ? search.target + 1 : search.target;
}

// Whether all threads are idle. Notes the first CPU that at least is so itself.
bool IsIdleCore(const Search& search, std::span<const CpuNumber> threads, CpuNumber& idle) {
  bool all_are_idle = true;
  for (const CpuNumber cpu : threads) {
    const bool is_idle = ProbeIsIdle(search.state, search.by, cpu);
    if (is_idle && idle == kNoCpu && search.task.MayRunOn(cpu)) idle = cpu;
    all_are_idle = all_are_idle && is_idle;
    if (!all_are_idle && idle != kNoCpu) break;
  }
  return all_are_idle;
}

// An allowed CPU of a wholly idle core; else the hint was wrong. `idle` is the first idle CPU seen.
CpuNumber FindIdleCore(const Search& search, CpuNumber& idle) {
  CpuSet& seen = search.state.balance.seen;
  seen.Clear();
  CpuNumber core = kNoCpu;
  VisitRingFrom(search.domain, FirstOfRing(search), [&](const CpuNumber& cpu) {
    if (seen.Contains(cpu) || !search.task.MayRunOn(cpu)) return false;
    const std::span<const CpuNumber> threads = ThreadsOf(search.state, cpu);
    for (const CpuNumber thread : threads) seen.Add(thread);
    if (IsIdleCore(search, threads, idle)) core = cpu;
    return core != kNoCpu;
  });
  if (core == kNoCpu) search.cache.has_idle_core = false;
  return core;
}

CpuNumber FindIdleThread(const Search& search, CpuNumber near) {
  for (const CpuNumber cpu : ThreadsOf(search.state, near)) {
    if (cpu != near && search.Finds(cpu)) return cpu;
  }
  return kNoCpu;
}

SimDuration& ScanCostOf(State& state, CpuNumber cpu) {
  return state.balance.scan_costs[static_cast<std::size_t>(cpu)];
}

// How many CPUs to look at; a count of n - 1 where it is taken down before each look.
std::int64_t BudgetOf(const Search& search) {
  State& state = search.state;
  const std::int64_t idle = state.Queue(search.by).average_idle.count() / 512;
  const std::int64_t cost = ScanCostOf(state, search.by).count();
  const auto span = static_cast<std::int64_t>(search.domain.span.size());
  switch (state.switches.wake_idle_search) {
    case WakeIdleSearch::kSisAvgCost:
      return idle < cost ? 0 : kUnlimited;
    case WakeIdleSearch::kSisUtil:
      return search.cache.scan_budget;
    default: {
      const std::int64_t affordable = span * idle;
      const bool is_much = affordable > kLeastBudget * (cost + 1);
      return (is_much ? affordable / (cost + 1) : kLeastBudget) - 1;
    }
  }
}

CpuNumber ScanWithin(const Search& search, std::int64_t budget) {
  CpuNumber found = kNoCpu;
  std::int64_t cost_ns = 0;
  VisitRingFrom(search.domain, FirstOfRing(search), [&](CpuNumber cpu) {
    if (!search.task.MayRunOn(cpu)) return false;
    if (budget-- <= 0) return true;
    cost_ns += search.state.machine.ProbeCost(search.by, cpu);
    if (IsIdleToWakeups(search.state, cpu)) found = cpu;
    return found != kNoCpu;
  });
  search.state.machine.Charge(search.by, cost_ns);
  return found;
}

CpuNumber ScanCache(const Search& search) {
  State& state = search.state;
  const std::int64_t budget = BudgetOf(search);
  if (budget <= 0) return kNoCpu;
  const SimDuration before = state.machine.times(search.by).overhead;
  const CpuNumber found = ScanWithin(search, budget);
  const SimDuration cost = state.machine.times(search.by).overhead - before;
  SimDuration& average = ScanCostOf(state, search.by);
  average += (cost - average) / 8;
  return found;
}

// Core, cache and sibling threads one after the other.
CpuNumber SearchInThreeSteps(const Search& search) {
  CpuNumber idle = kNoCpu;
  if (search.cache.has_idle_core) {
    const CpuNumber core = FindIdleCore(search, idle);
    if (core != kNoCpu) return core;
  }
  const CpuNumber found = ScanCache(search);
  return found != kNoCpu ? found : FindIdleThread(search, search.target);
}

CpuNumber SearchInOneScan(const Search& search) {
  const WakeIdleSearch rule = search.state.switches.wake_idle_search;
  if (!search.cache.has_idle_core) {
    const bool shares = SharesCache(search.state, search.task.cpu, search.target);
    if (rule != WakeIdleSearch::kSisOneScan && shares) {
      const CpuNumber thread = FindIdleThread(search, search.task.cpu);
      if (thread != kNoCpu) return thread;
    }
    return ScanCache(search);
  }
  if (rule == WakeIdleSearch::kSisUtil && search.cache.scan_budget == 0) return kNoCpu;
  CpuNumber idle = kNoCpu;
  const CpuNumber core = FindIdleCore(search, idle);
  return core != kNoCpu ? core : idle;
}

CpuNumber SearchCache(const Search& search) {
  const WakeIdleSearch rule = search.state.switches.wake_idle_search;
  const bool has_steps = rule == WakeIdleSearch::kSisAvgCost || rule == WakeIdleSearch::kSisProp;
  const CpuNumber found = has_steps ? SearchInThreeSteps(search) : SearchInOneScan(search);
  return found != kNoCpu ? found : search.target;
}

// The work of a bound thread that wakes its customer where both ran is done: it makes room.
bool WakerMakesRoom(const State& state, const Task& task, CpuNumber by) {
  if (state.switches.wake_kthread_stays == OffOn::kOff) return false;
  const Task* const waker = state.machine.current(by);
  return waker != nullptr && waker->IsPinned() && task.cpu == by && state.RunnableCount(by) <= 1;
}

// The CPU that the task used before its previous one, where that is a candidate.
CpuNumber RecentCpu(State& state, Task& task, const IdleSearch& search) {
  if (state.switches.wake_recent_cpu == OffOn::kOff) return kNoCpu;
  const CpuNumber recent = task.fair.recent_cpu;
  task.fair.recent_cpu = task.cpu;
  if (recent == kNoCpu || recent == task.cpu || recent == search.target) return kNoCpu;
  const bool is_near = task.MayRunOn(recent) && SharesCache(state, recent, search.target);
  return is_near && ProbeIsIdle(state, search.by, recent) ? recent : kNoCpu;
}

}  // namespace

CpuNumber ScanForIdle(State& state, Task& task, const IdleSearch& search) {
  if (ProbeIsIdle(state, search.by, search.target)) return search.target;
  const CpuNumber previous = task.cpu;
  const bool is_near = previous != search.target && SharesCache(state, previous, search.target);
  if (is_near && ProbeIsIdle(state, search.by, previous)) return previous;
  if (WakerMakesRoom(state, task, search.by)) return previous;
  const CpuNumber recent = RecentCpu(state, task, search);
  if (recent != kNoCpu) return recent;
  const int level = SearchLevel(state, search.target);
  if (level < 0) return search.target;
  const Domain& domain = state.domains.Of(search.target)[static_cast<std::size_t>(level)];
  return SearchCache({state, task, search.target, search.by, domain, CacheOf(state, domain)});
}

void NoteIdleCore(State& state, CpuNumber cpu) {
  const int level = state.domains.LlcLevel(cpu);
  if (level < 0 || !state.domains.Of(cpu).front().parameters.shares_core) return;
  for (const CpuNumber other : ThreadsOf(state, cpu)) {
    if (other != cpu && !state.IsIdleCpu(other)) return;
  }
  CacheOf(state, state.domains.Of(cpu)[static_cast<std::size_t>(level)]).has_idle_core = true;
}

std::int64_t ScanBudget(std::int64_t cpu_count, std::int64_t utilization, std::int64_t percent) {
  constexpr std::int64_t kFull = 1024;
  const std::int64_t mean = utilization / cpu_count;
  const std::int64_t lost = std::min(kFull, mean * mean * percent * percent / (100 * 100 * kFull));
  return (kFull - lost) * cpu_count / kFull;
}

void NoteCacheUtilization(State& state, CpuNumber cpu, std::int64_t utilization,
                          std::int64_t percent) {
  const int level = state.domains.LlcLevel(cpu);
  if (level < 0) return;
  const Domain& domain = state.domains.Of(cpu)[static_cast<std::size_t>(level)];
  CacheOf(state, domain).scan_budget =
      ScanBudget(static_cast<std::int64_t>(domain.span.size()), utilization, percent);
}

}  // namespace schedlab::sim::fair
