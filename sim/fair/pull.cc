#include "sim/fair/pull.h"

#include <algorithm>

#include "sim/fair/group_types.h"
#include "sim/fair/load.h"
#include "sim/fair/pull_scan.h"
#include "sim/fair/queueing.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kSmallTaskLoad = 16;
constexpr std::int32_t kMaxTasksPerList = 33;
constexpr std::int32_t kMaxRestarts = 3;

// Why a walk over a list has ended.
enum class WalkEnd : std::uint8_t { kDone, kBound, kBreak, kFirstTask };

std::int32_t BoundOf(const State& state, std::int32_t task_count) {
  switch (state.switches.pull_bound) {
    case PullBound::kMin32NrRunning:
      return std::min(kMaxTasksPerPull, task_count);
    case PullBound::k33PerList:
      return kMaxTasksPerList;
    case PullBound::kNrRunning:
      return task_count;
  }
  return task_count;
}

// A kernel that may be preempted is to be back soon with something to execute.
bool StopsAtFirst(const Scan& scan) {
  return scan.state.switches.preemption == Preemption::kFull &&
         scan.pass.idle == IdleType::kNewlyIdle;
}

bool PassesFilters(const Scan& scan, const Task& task, std::int64_t load) {
  const Domain& domain = DomainOf(scan.state, scan.pass);
  const bool is_small = load < kSmallTaskLoad && domain.failed_count == 0;
  if (scan.state.switches.small_task_filter == OffOn::kOn && is_small) return false;
  if (HasGroupTypes(scan.state.switches.classification)) {
    return !IsTooLarge(scan.state, scan.pass, task, load);
  }
  switch (scan.state.switches.pull_size_test) {
    case PullSizeTest::kHalfLoad:
      return load / 2 <= scan.pass.imbalance;
    case PullSizeTest::kDoubleLoad:
      return load * 2 <= scan.pass.imbalance;
  }
  return true;
}

bool Suits(Scan& scan, const Task& task, std::int64_t load) {
  if (IsThrottled(task)) return false;
  switch (scan.state.switches.all_pinned_rule) {
    case AllPinnedRule::kAffinityFirst:
      return CanMove(scan, task) && PassesFilters(scan, task, load);
    case AllPinnedRule::kFiltersFirst:
      return PassesFilters(scan, task, load) && CanMove(scan, task);
  }
  return false;
}

// The list of the tasks of a CPU as this kernel walks it.
bool BeginsAtTail(const State& state) {
  return state.switches.pull_list == PullList::kPerCpuRecent;
}
Task* NextOnList(const State& state, const RunQueue& queue) {
  return BeginsAtTail(state) ? queue.list_tail : queue.list_head;
}
void PutOff(const State& state, RunQueue& queue, Task& task) {
  BeginsAtTail(state) ? ListMoveToFront(queue, task) : ListMoveToBack(queue, task);
}

// An idle CPU does not make another one idle in its place.
bool LeavesLastTask(const Scan& scan) {
  return HasGroupTypes(scan.state.switches.classification) && scan.pass.idle != IdleType::kBusy &&
         scan.state.RunnableCount(scan.busiest) <= 1;
}

// One walk over the list of a CPU. A task that stays goes to the far end, so that the next walk
// begins with others.
WalkEnd WalkCpuList(Scan& scan) {
  RunQueue& queue = scan.state.Queue(scan.busiest);
  Pass& pass = scan.pass;
  if (pass.imbalance <= 0) return WalkEnd::kDone;
  while (Task* const task = NextOnList(scan.state, queue)) {
    if (LeavesLastTask(scan)) break;
    ++pass.looked_at;
    if (pass.looked_at > scan.bound) return WalkEnd::kBound;
    if (pass.looked_at > pass.break_at) {
      pass.break_at += kMaxTasksPerPull;
      return WalkEnd::kBreak;
    }
    ++scan.looked_at;
    RefreshGroupLoadOf(scan, *task);
    const std::int64_t load = TaskLoad(scan.state, *task);
    if (!Suits(scan, *task, load)) {
      PutOff(scan.state, queue, *task);
      continue;
    }
    Move(scan, *task);
    pass.imbalance -= ShareOfImbalance(pass, *task, load);
    if (StopsAtFirst(scan)) return WalkEnd::kFirstTask;
    if (pass.imbalance <= 0) break;
  }
  return WalkEnd::kDone;
}

// A group's part of the load of its CPU, from weights, rounded down at each level.
std::int64_t PartOfLoad(const CfsQueue& queue) {
  if (queue.entity == nullptr) return queue.weight;
  const CfsQueue& above = *queue.entity->queue;
  return PartOfLoad(above) * queue.entity->weight / (above.weight + 1);
}

// One walk over the tasks of one group. `left` and what moves are weights within the group.
WalkEnd WalkGroupList(Scan& scan, const CfsQueue& group, std::int64_t left, std::int64_t& moved) {
  std::int32_t seen = 0;
  Task* next = scan.state.Queue(scan.busiest).list_head;
  while (left > 0 && next != nullptr) {
    Task& task = *next;
    next = task.fair.list_next;
    if (task.fair.queue != &group) continue;
    if (++seen > scan.bound) return WalkEnd::kBound;
    ++scan.looked_at;
    const std::int64_t weight = task.fair.weight;
    if (weight / 2 > left || !CanMove(scan, task)) continue;
    Move(scan, task);
    moved += weight;
    left -= weight;
    if (StopsAtFirst(scan)) return WalkEnd::kFirstTask;
  }
  return WalkEnd::kDone;
}

// One round over the groups of a CPU, those farthest below first. Returns the load that moved, as
// the kernel counts it.
std::int64_t WalkGroups(Scan& scan, std::int64_t wanted, WalkEnd& end) {
  std::int64_t left = wanted;
  std::vector<CfsQueue*> queues;
  for (const std::unique_ptr<FairGroup>& group : scan.state.groups) {
    if (group == nullptr) continue;
    queues.push_back(&group->queues[static_cast<std::size_t>(scan.busiest)]);
  }
  std::reverse(queues.begin(), queues.end());
  for (const auto& session : scan.state.sessions) {
    queues.push_back(&session.second->queues[static_cast<std::size_t>(scan.busiest)]);
  }
  queues.push_back(&scan.state.Queue(scan.busiest).root);
  RefreshGroupLoads(scan);
  for (const CfsQueue* queue : queues) {
    if (queue->entity_count == 0 || queue->is_throttled) continue;
    const std::int64_t part = PartOfLoad(*queue);
    const std::int64_t weight = queue->weight;
    std::int64_t moved = 0;
    end = WalkGroupList(scan, *queue, left * weight / (part + 1), moved);
    left -= moved * part / (weight + 1);
    const bool ends_list_only = scan.state.switches.pull_break == PullBreak::kNone;
    if (end == WalkEnd::kFirstTask || (end == WalkEnd::kBound && !ends_list_only)) break;
    if (left < 0) break;
  }
  return wanted - left;
}

// Rounds as long as something moves and more is wanted.
WalkEnd WalkAllGroups(Scan& scan) {
  WalkEnd end = WalkEnd::kDone;
  std::int64_t total = 0;
  std::int64_t moved = 0;
  do {
    moved = WalkGroups(scan, scan.pass.imbalance - total, end);
    total += moved;
    const bool goes_on =
        end == WalkEnd::kDone ||
        (end == WalkEnd::kBound && scan.state.switches.pull_break == PullBreak::kNone);
    if (!goes_on) break;
  } while (moved > 0 && total < scan.pass.imbalance);
  scan.pass.imbalance -= total;
  scan.outcome.counts_as_failure = total <= 0;
  return end;
}

// Whether the lock was released only for a moment; else the end of the visit is decided.
bool GoesOnAfterBreak(Scan& scan) {
  switch (scan.state.switches.pull_break) {
    case PullBreak::kContinue:
      return true;
    case PullBreak::kRedo:
      scan.outcome.end = PullEnd::kRestart;
      return false;
    case PullBreak::kRedo3Times:
      scan.outcome.end =
          ++scan.pass.break_count > kMaxRestarts ? PullEnd::kBalanced : PullEnd::kRestart;
      return false;
    case PullBreak::kNone:
      return false;
  }
  return false;
}

// Whether the walk of a group's list goes on behind its bound. That list is not rotated: a walk that
// has moved nothing would find the same again. A kernel spins there until another CPU changes
// something, the lockup that limiting the retries ended; here such a pass is over.
bool GoesOnAfterBound(Scan& scan, bool has_moved) {
  const bool is_limited = scan.state.switches.pull_break == PullBreak::kRedo3Times;
  if (has_moved || is_limited) return GoesOnAfterBreak(scan);
  if (scan.state.switches.pull_break == PullBreak::kRedo) scan.outcome.end = PullEnd::kBalanced;
  return false;
}

// Whether the visit goes on at once.
bool GoesOn(Scan& scan, WalkEnd end, bool has_moved) {
  const bool has_group_lists = scan.state.switches.pull_list == PullList::kPerGroup;
  const bool aborts = scan.state.switches.abort_as_balanced == OffOn::kOn || has_group_lists;
  switch (end) {
    case WalkEnd::kDone:
      return false;
    case WalkEnd::kBreak:
      return GoesOnAfterBreak(scan);
    case WalkEnd::kBound:
      // Of a group's list the bound is where the lock is released, of a CPU's the end of it all.
      if (has_group_lists) return GoesOnAfterBound(scan, has_moved);
      if (aborts) scan.outcome.end = PullEnd::kBalanced;
      return false;
    case WalkEnd::kFirstTask:
      if (aborts) scan.outcome.end = PullEnd::kBalanced;
      return false;
  }
  return false;
}

// All walks of one destination, with the lock released between them.
void WalkFor(Scan& scan) {
  const bool has_group_lists = scan.state.switches.pull_list == PullList::kPerGroup;
  if (!has_group_lists) RefreshGroupLoads(scan);
  bool goes_on = true;
  while (goes_on) {
    const WalkEnd end = has_group_lists ? WalkAllGroups(scan) : WalkCpuList(scan);
    const bool has_moved = scan.moved_count > 0;
    EndHold(scan);
    goes_on = GoesOn(scan, end, has_moved);
  }
}

// Before the lock was broken at all, a pull of nothing asked nobody.
bool CountsAsPinnedUnasked(const Scan& scan) {
  return scan.pass.imbalance > 0 || scan.state.switches.pull_break != PullBreak::kNone;
}

}  // namespace

PullOutcome Pull(State& state, Pass& pass, CpuNumber busiest) {
  Scan scan{.state = state, .pass = pass, .busiest = busiest, .destination = pass.cpu};
  scan.outcome.all_pinned = CountsAsPinnedUnasked(scan);
  scan.bound = BoundOf(state, state.TaskCount(busiest));
  while (true) {
    WalkFor(scan);
    ChargeHolds(scan);
    const bool is_done = scan.outcome.end != PullEnd::kDone || pass.imbalance <= 0;
    if (scan.alternative == kNoCpu || is_done) break;
    pass.candidates.Remove(scan.destination);
    scan.destination = scan.alternative;
    scan.alternative = kNoCpu;
    pass.looked_at = 0;
    pass.break_at = kMaxTasksPerPull;
  }
  scan.outcome.imbalance_left = pass.imbalance;
  return scan.outcome;
}

bool PullOneRunning(State& state, const Pass& pass, CpuNumber busiest) {
  Pass own = pass;
  Scan scan{.state = state, .pass = own, .busiest = busiest, .destination = pass.cpu};
  RunQueue& queue = state.Queue(busiest);
  // The stopper thread executes: the task that was running is a waiting one like the others.
  PutCurrent(state, busiest);
  state.machine.RequestReschedule(busiest, busiest);
  for (Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) {
    if (IsThrottled(*task) || !CanMove(scan, *task)) continue;
    Move(scan, *task);
    return true;
  }
  return false;
}

}  // namespace schedlab::sim::fair
