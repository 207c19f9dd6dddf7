#include "sim/fair/pull.h"

#include <algorithm>

#include "sim/fair/load.h"
#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

// Ran within the last half millisecond, or is what its queue wants to run next while the CPU that
// executes the pass, `by`, has work.
bool IsCacheHot(const State& state, const Task& task, CpuNumber by) {
  if (state.switches.cache_hot == OnOff::kOff) return false;
  if (IsBuddy(task) && state.Queue(by).task_count > 0) return true;
  return state.machine.now() - task.fair.exec_start < state.tunables.migration_cost;
}

struct Scan {
  State& state;
  Pass& pass;
  CpuNumber busiest;
  CpuNumber destination;
  PullOutcome outcome;
  CpuNumber alternative = kNoCpu;
  std::int32_t looked_at = 0;
};

Domain& DomainOf(const Scan& scan) { return scan.state.domains.Of(scan.pass.cpu)[scan.pass.level]; }

PassCounters& CountersOf(const Scan& scan) {
  return DomainOf(scan).passes[static_cast<std::size_t>(scan.pass.idle)];
}

void NotePinned(Scan& scan, const Task& task) {
  scan.outcome.some_pinned = true;
  if (scan.pass.idle == IdleType::kNewlyIdle || scan.alternative != kNoCpu) return;
  for (const CpuNumber cpu : DomainOf(scan).groups.front()->cpus) {
    if (!scan.pass.candidates.Contains(cpu) || !task.MayRunOn(cpu)) continue;
    scan.alternative = cpu;
    return;
  }
}

bool CanMove(Scan& scan, const Task& task) {
  if (!task.MayRunOn(scan.destination)) {
    NotePinned(scan, task);
    return false;
  }
  scan.outcome.all_pinned = false;
  if (scan.state.Queue(scan.busiest).current == &task) return false;
  if (!IsCacheHot(scan.state, task, scan.pass.by)) return true;
  const Domain& domain = DomainOf(scan);
  return domain.failed_count > domain.parameters.cache_nice_tries;
}

void Move(Scan& scan, Task& task) {
  Dequeue(scan.state, scan.busiest, task, Departure::kMoved);
  Enqueue(scan.state, scan.destination, task, Arrival::kMoved);
  scan.state.machine.NoteMigration(task, scan.busiest, scan.destination);
  CheckPreemption(scan.state, scan.destination, task, scan.pass.by);
  ++scan.outcome.moved_count;
}

// One walk over the queue's list. A task that stays goes to the back, so that the next walk begins
// with others.
void Walk(Scan& scan) {
  RunQueue& queue = scan.state.Queue(scan.busiest);
  const std::int32_t limit = std::min(kMaxTasksPerPull, queue.task_count);
  std::int64_t& left = scan.pass.imbalance;
  scan.looked_at = 0;
  if (left <= 0) return;
  while (scan.looked_at < limit && queue.list_head != nullptr) {
    Task& task = *queue.list_head;
    ++scan.looked_at;
    const std::int64_t load = TaskLoad(scan.state, task);
    if (!CanMove(scan, task) || load / 2 > left) {
      ListMoveToBack(queue, task);
      continue;
    }
    Move(scan, task);
    left -= load;
    if (left <= 0) break;
  }
}

void ChargeWalk(const Scan& scan, std::int32_t moved_count) {
  Machine& machine = scan.state.machine;
  const CostTable& costs = machine.costs();
  const std::int64_t hold = costs.scan_task_ns * scan.looked_at + costs.move_task_ns * moved_count;
  machine.ChargeLock(scan.pass.by, scan.busiest, hold);
  machine.ChargeLock(scan.pass.by, scan.destination, 0);
}

}  // namespace

PullOutcome Pull(State& state, Pass& pass, CpuNumber busiest) {
  Scan scan{state, pass, busiest, pass.cpu, {.all_pinned = true}};
  while (true) {
    const std::int32_t moved_before = scan.outcome.moved_count;
    Walk(scan);
    ChargeWalk(scan, scan.outcome.moved_count - moved_before);
    if (scan.alternative == kNoCpu || pass.imbalance <= 0) break;
    pass.candidates.Remove(scan.destination);
    scan.destination = scan.alternative;
    scan.alternative = kNoCpu;
  }
  CountersOf(scan).gained += scan.outcome.moved_count;
  scan.outcome.imbalance_left = pass.imbalance;
  return scan.outcome;
}

bool PullOneRunning(State& state, const Pass& pass, CpuNumber busiest) {
  Pass own = pass;
  Scan scan{state, own, busiest, pass.cpu, {}};
  RunQueue& queue = state.Queue(busiest);
  // The stopper thread executes: the task that was running is a waiting one like the others.
  PutCurrent(state, busiest);
  state.machine.RequestReschedule(busiest, busiest);
  for (Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) {
    if (!CanMove(scan, *task)) continue;
    Move(scan, *task);
    ++CountersOf(scan).gained;
    return true;
  }
  return false;
}

}  // namespace schedlab::sim::fair
