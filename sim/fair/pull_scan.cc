#include "sim/fair/pull_scan.h"

#include <algorithm>

#include "sim/fair/load.h"
#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

// Ran within the last half millisecond, or is what its queue wants to run next. A buddy counts only
// while the CPU that executes the pass, `by`, has work, but for the oldest rule.
bool IsCacheHot(const State& state, const Task& task, CpuNumber by) {
  if (state.switches.cache_hot == OnOff::kOff) return false;
  const bool counts_always = state.switches.buddies == Buddies::kLastAlways;
  if (IsBuddy(task) && (counts_always || state.TaskCount(by) > 0)) return true;
  return state.machine.now() - task.fair.exec_start < state.tunables.migration_cost;
}

PassCounters& CountersOf(const Scan& scan) {
  return DomainOf(scan.state, scan.pass).passes[static_cast<std::size_t>(scan.pass.idle)];
}

bool MayTryOthers(const Scan& scan) {
  switch (scan.state.switches.pinned_retry) {
    case PinnedRetry::kGroupCpus:
      return scan.pass.idle != IdleType::kNewlyIdle;
    case PinnedRetry::kNone:
      return false;
  }
  return false;
}

void NotePinned(Scan& scan, const Task& task) {
  scan.outcome.some_pinned = true;
  if (!MayTryOthers(scan) || scan.alternative != kNoCpu) return;
  for (const CpuNumber cpu : DomainOf(scan.state, scan.pass).groups.front()->cpus) {
    if (!scan.pass.candidates.Contains(cpu) || !task.MayRunOn(cpu)) continue;
    scan.alternative = cpu;
    return;
  }
}

bool IsHotHere(const Scan& scan, const Task& task) {
  return IsCacheHot(scan.state, task, scan.pass.by);
}

std::int32_t GroupCount(const State& state) {
  const auto exists = [](const std::unique_ptr<FairGroup>& group) { return group != nullptr; };
  const auto count = std::count_if(state.groups.begin(), state.groups.end(), exists);
  return static_cast<std::int32_t>(count) + static_cast<std::int32_t>(state.sessions.size());
}

bool IsKnown(const Scan& scan, const CfsQueue& queue) {
  return std::find(scan.known_queues.begin(), scan.known_queues.end(), &queue) !=
         scan.known_queues.end();
}

}  // namespace

bool CanMove(Scan& scan, const Task& task) {
  if (!task.MayRunOn(scan.destination)) {
    NotePinned(scan, task);
    return false;
  }
  scan.outcome.all_pinned = false;
  if (scan.state.Queue(scan.busiest).current == &task) return false;
  if (!IsHotHere(scan, task)) return true;
  const Domain& domain = DomainOf(scan.state, scan.pass);
  return domain.failed_count > domain.parameters.cache_nice_tries;
}

void Move(Scan& scan, Task& task) {
  PassCounters& counters = CountersOf(scan);
  ++counters.gained;
  if (IsHotHere(scan, task)) ++counters.hot_gained;
  Dequeue(scan.state, scan.busiest, task, Departure::kMoved);
  Enqueue(scan.state, scan.destination, task, Arrival::kMoved);
  scan.state.machine.NoteMigration(task, scan.busiest, scan.destination);
  CheckPreemption(scan.state, scan.destination, task, scan.pass.by);
  ++scan.outcome.moved_count;
  ++scan.moved_count;
}

void RefreshGroupLoads(Scan& scan) {
  const std::int32_t group_count = GroupCount(scan.state);
  if (group_count == 0) return;
  switch (scan.state.switches.h_load_refresh) {
    case HLoadRefresh::kBeforePull: {
      std::int64_t& refreshed_tick =
          scan.state.balance.group_loads_tick[static_cast<std::size_t>(scan.busiest)];
      const std::int64_t tick = scan.state.machine.tick_count();
      if (refreshed_tick == tick) return;
      refreshed_tick = tick;
      scan.state.machine.Charge(scan.pass.by,
                                scan.state.machine.costs().scan_task_ns * group_count);
      return;
    }
    case HLoadRefresh::kUnderLocks:
      scan.group_count = group_count;
      return;
    case HLoadRefresh::kUnderLocksFirstVisit:
      if (scan.pass.looked_at == 0) scan.group_count = group_count;
      return;
    case HLoadRefresh::kPerTask:
      return;
  }
}

void RefreshGroupLoadOf(Scan& scan, const Task& task) {
  if (scan.state.switches.h_load_refresh != HLoadRefresh::kPerTask) return;
  const CfsQueue* queue = task.fair.queue;
  for (; queue->entity != nullptr && !IsKnown(scan, *queue); queue = queue->entity->queue) {
    scan.known_queues.push_back(queue);
    ++scan.group_count;
  }
}

void EndHold(Scan& scan) {
  const CostTable& costs = scan.state.machine.costs();
  const std::int64_t moves_ns = costs.move_task_ns * scan.moved_count;
  std::int64_t hold_ns = costs.scan_task_ns * (scan.looked_at + scan.group_count);
  switch (scan.state.switches.pull_locking) {
    case PullLocking::kBothQueues:
      hold_ns += moves_ns;
      break;
    case PullLocking::kDetachAttach:
      hold_ns += moves_ns / 2;
      scan.attach_ns += moves_ns - moves_ns / 2;
      break;
  }
  scan.holds_ns.push_back(hold_ns);
  scan.looked_at = 0;
  scan.moved_count = 0;
  scan.group_count = 0;
}

void ChargeHolds(Scan& scan) {
  Machine& machine = scan.state.machine;
  const SimDuration wait_before = machine.counters().lock_wait;
  switch (scan.state.switches.pull_locking) {
    case PullLocking::kBothQueues:
      machine.ChargeTwoLocks(scan.pass.by, scan.busiest, scan.destination, scan.holds_ns);
      break;
    case PullLocking::kDetachAttach:
      for (const std::int64_t hold_ns : scan.holds_ns) {
        machine.ChargeLock(scan.pass.by, scan.busiest, hold_ns);
      }
      machine.ChargeLock(scan.pass.by, scan.destination, scan.attach_ns);
      break;
  }
  scan.holds_ns.clear();
  scan.attach_ns = 0;
  if (scan.pass.idle == IdleType::kNewlyIdle) {
    machine.counters().newidle_lock_wait += machine.counters().lock_wait - wait_before;
  }
}

}  // namespace schedlab::sim::fair
