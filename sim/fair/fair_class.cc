#include "sim/fair/fair_class.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "sim/fair/balance_pass.h"
#include "sim/fair/bandwidth.h"
#include "sim/fair/groups.h"
#include "sim/fair/load.h"
#include "sim/fair/load_history.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/nohz.h"
#include "sim/fair/pelt.h"
#include "sim/fair/placement.h"
#include "sim/fair/queueing.h"
#include "sim/fair/triggers.h"
#include "sim/fair/wake_affine.h"
#include "sim/fair/wake_list.h"
#include "sim/fair/waker.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::array<std::string_view, kIdleTypeCount> kIdleTypeNames = {"idle", "busy", "newidle"};

struct Sums {
  std::int32_t task_count = 0;
  std::int64_t weight = 0;
  std::int64_t load = 0;
};

void AddEntity(const CfsQueue& queue, const FairEntity& entity, Sums& sums) {
  SCHEDLAB_CHECK(entity.is_queued && entity.queue == &queue && entity.parent == queue.entity);
  const bool is_empty = entity.own != nullptr && entity.is_delayed;
  SCHEDLAB_CHECK(entity.own == nullptr || is_empty || !entity.own->is_throttled);
  if (!is_empty) sums.task_count += entity.own == nullptr ? 1 : entity.own->task_count;
  sums.weight += entity.weight;
  sums.load += entity.load;
}

// The waiting ones, in order; returns their weight.
std::int64_t CheckWaiting(const CfsQueue& queue, Sums& sums) {
  std::int32_t count = 0;
  const FairEntity* previous = nullptr;
  const FairEntity* entity = queue.waiting.first();
  for (; entity != nullptr; entity = EntityTree::Next(*entity)) {
    SCHEDLAB_CHECK(previous == nullptr || previous->tree_key <= entity->tree_key);
    AddEntity(queue, *entity, sums);
    ++count;
    previous = entity;
  }
  SCHEDLAB_CHECK(count == queue.waiting.size());
  return sums.weight;
}

// The books of the average, kept only under EEVDF.
void CheckAverage(const State& state, const CfsQueue& queue, std::int64_t waiting_weight) {
  if (state.switches.pick != Pick::kEevdf) return;
  SCHEDLAB_CHECK(queue.waiting_weight == waiting_weight);
  Wide sum = 0;
  const FairEntity* entity = queue.waiting.first();
  for (; entity != nullptr; entity = EntityTree::Next(*entity)) {
    SCHEDLAB_CHECK(entity->tree_key == entity->deadline);
    sum += Wide{entity->vruntime - queue.min_vruntime} * entity->weight;
  }
  SCHEDLAB_CHECK(queue.waiting_sum == sum);
}

// What scans of this instant were told, and further ones would be, is what the sums come to.
void CheckAveragesMemo(const State& state, const CfsQueue& queue) {
  const SimTime now = state.machine.now();
  if (!EndsSegment(queue.averages, now)) return;
  SCHEDLAB_CHECK(AveragesNow(state, queue) == ComputeAveragesPastSegment(queue, now));
}

void CheckCfsQueue(const State& state, const CfsQueue& queue) {
  CheckAveragesMemo(state, queue);
  Sums sums;
  CheckAverage(state, queue, CheckWaiting(queue, sums));
  if (queue.current != nullptr) AddEntity(queue, *queue.current, sums);
  const std::int32_t current_count = queue.current == nullptr ? 0 : 1;
  SCHEDLAB_CHECK(queue.entity_count == queue.waiting.size() + current_count);
  SCHEDLAB_CHECK(queue.task_count == sums.task_count);
  SCHEDLAB_CHECK(queue.weight == sums.weight);
  SCHEDLAB_CHECK(queue.load == sums.load);
  if (queue.entity == nullptr) return;
  const bool is_wanted = queue.entity_count > 0 && !queue.is_throttled;
  SCHEDLAB_CHECK(queue.entity->is_queued == (is_wanted || queue.entity->is_delayed));
}

// A queue is throttled exactly if its group has it on its list, and the group's total is the sum of
// what its queues have told it.
void CheckGroup(const State& state, const FairGroup& group) {
  std::int64_t told_load = 0;
  std::size_t throttled_count = 0;
  for (const CfsQueue& queue : group.queues) {
    CheckCfsQueue(state, queue);
    told_load += queue.told_load;
    if (queue.is_throttled) ++throttled_count;
  }
  SCHEDLAB_CHECK(told_load == group.load_total);
  SCHEDLAB_CHECK(throttled_count == group.throttled.size());
}

void CheckQueue(const State& state, const RunQueue& queue) {
  CheckCfsQueue(state, queue.root);
  std::int32_t listed_count = 0;
  std::int32_t delayed_count = 0;
  for (const Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) {
    SCHEDLAB_CHECK(task->fair.is_queued);
    ++listed_count;
    if (task->fair.is_delayed) ++delayed_count;
  }
  SCHEDLAB_CHECK(listed_count == queue.listed_count);
  SCHEDLAB_CHECK(delayed_count == queue.delayed_count);
  SCHEDLAB_CHECK(state.TaskCount(queue.root.cpu) == queue.root.task_count);
  SCHEDLAB_CHECK(queue.root.task_count <= listed_count);
}

std::int64_t WeightFor(const Task& task) {
  if (task.attributes.policy == SchedPolicy::kIdle) return kWeightOfIdlePolicy;
  return WeightOf(task.attributes.nice);
}

// What a task asks for may have changed while it was not queued.
void ApplyAttributes(State& state, Task& task) {
  SetTaskWeight(state, task, WeightFor(task));
  task.fair.slice = OwnSliceOf(state.switches, task.attributes);
}

// A delayed task that wakes is still queued; it stays unless it has to be elsewhere by now.
bool WakesInPlace(State& state, const Task& task) {
  const FairTask& own = task.fair;
  return own.is_delayed && task.MayRunOn(task.cpu) && own.weight == WeightFor(task) &&
         own.queue == &QueueOf(state, task, task.cpu);
}

const char* NameOf(Level level) {
  switch (level) {
    case Level::kSmt:
      return "SMT";
    case Level::kMc:
      return "MC";
    case Level::kCpu:
      return "PKG";
    case Level::kNuma:
    case Level::kAllNodes:
      return "NUMA";
  }
  return "";
}

// Of the metrics of a level.
std::string_view MetricPrefixOf(Level level) {
  switch (level) {
    case Level::kSmt:
      return "smt";
    case Level::kMc:
      return "mc";
    case Level::kCpu:
      return "pkg";
    case Level::kNuma:
    case Level::kAllNodes:
      return "numa";
  }
  return "";
}

void CheckPasses(const PassCounters& passes) {
  SCHEDLAB_CHECK(passes.count == passes.balanced + passes.failed + passes.moved_passes);
  SCHEDLAB_CHECK(passes.gained >= passes.moved_passes);
  SCHEDLAB_CHECK(passes.gained >= passes.hot_gained);
  SCHEDLAB_CHECK(passes.balanced >= passes.no_busy_group + passes.no_busy_queue);
}

void CheckDomain(const Domain& domain) {
  for (const PassCounters& passes : domain.passes) CheckPasses(passes);
  SCHEDLAB_CHECK(domain.active_count == domain.active_failed + domain.active_pushed);
}

// Each wakeup for another CPU is remote on exactly one of the waker's levels, if one holds both.
void CheckWakeups(const CpuCounters& counters, const std::vector<Domain>& domains) {
  std::int64_t remote = 0;
  for (const Domain& domain : domains) remote += domain.wakeups_remote;
  SCHEDLAB_CHECK(remote <= counters.wakeups - counters.wakeups_local);
}

}  // namespace

FairClass::FairClass(Machine& machine, const Switches& switches) : state_(machine, switches) {}

CpuNumber FairClass::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  switch (reason) {
    case SelectReason::kWake:
      if (WakesInPlace(state_, task)) return task.cpu;
      if (task.fair.is_delayed) FinishDelayed(state_, task);
      NoteWakee(state_, context, task);
      return SelectCpuForWakeup(state_, task, context);
    case SelectReason::kFork:
    case SelectReason::kExec:
      return SelectCpuForNew(state_, task, context);
  }
  return task.cpu;
}

void FairClass::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) {
  if (!task.fair.is_delayed) ApplyAttributes(state_, task);
  switch (reason) {
    case EnqueueReason::kWoken:
      Wake(task, cpu, context);
      break;
    case EnqueueReason::kNew:
      PlaceNew(state_, context.cpu, task);
      fair::Enqueue(state_, cpu, task, Arrival::kNew);
      break;
    case EnqueueReason::kChanged:
      fair::Enqueue(state_, cpu, task, Arrival::kMoved);
      break;
  }
}

void FairClass::Wake(Task& task, CpuNumber cpu, const Context& context) {
  NoteWokenUp(task);
  if (task.fair.is_delayed) {
    RequeueDelayed(state_, task);
  } else {
    DetachVruntime(state_, task);
    fair::Enqueue(state_, cpu, task, Arrival::kWoken);
  }
  NoteWakeupBy(state_, context);
}

void FairClass::Dequeue(Task& task, DequeueReason reason) {
  switch (reason) {
    case DequeueReason::kBlocked:
      fair::Dequeue(state_, task.cpu, task, Departure::kBlocked);
      NoteSleep(state_, task);
      return;
    case DequeueReason::kExited:
      fair::Dequeue(state_, task.cpu, task, Departure::kExited);
      CountNowhere(state_, task);
      return;
    case DequeueReason::kChanged:
      fair::Dequeue(state_, task.cpu, task, Departure::kMoved);
      return;
  }
}

// What it keeps while it is of another class is what a task keeps that is taken out of its queue.
void FairClass::Leave(Task& task, EnqueueReason reason) {
  if (task.fair.is_delayed) FinishDelayed(state_, task);
  if (reason == EnqueueReason::kWoken) DetachVruntime(state_, task);
  CountNowhere(state_, task);
}

void FairClass::Join(Task& task, EnqueueReason reason) {
  ApplyAttributes(state_, task);
  FairTask& own = task.fair;
  own.queue = &QueueOf(state_, task, task.cpu);
  own.lag = 0;
  if (own.period_sum == 0) {
    TrackNew(state_, *own.queue, task, state_.tunables.latency);
  } else {
    UpdateAverages(own, state_.machine.now(), false);
  }
  // A woken task is taken for one that has blocked in this class.
  if (reason == EnqueueReason::kWoken) own.vruntime += own.queue->min_vruntime;
}

void FairClass::CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) {
  fair::CheckPreemption(state_, cpu, task, by);
}

void FairClass::PutCurrent(CpuNumber cpu) {
  EndTurn(cpu);
  fair::PutCurrent(state_, cpu);
}

void FairClass::EndTurn(CpuNumber cpu) {
  Task* const current = state_.Queue(cpu).current;
  if (current != nullptr) NoteTurnEnded(state_, *current);
}

// The running task may be chosen again, and what it was promised depends on where it stands.
Task* FairClass::TakeNext(CpuNumber cpu) {
  EndTurn(cpu);
  if (Task* const next = fair::TakeNext(state_, cpu); next != nullptr) return next;
  fair::BalanceNewlyIdle(state_, cpu);
  return fair::TakeNext(state_, cpu);
}

std::int32_t FairClass::QueuedCount(CpuNumber cpu) const {
  const RunQueue& queue = state_.Queue(cpu);
  return queue.listed_count - queue.delayed_count;
}

void FairClass::Yield(CpuNumber cpu) { YieldCurrent(state_, cpu); }

void FairClass::Tick(CpuNumber cpu) { CheckPreemptionAtTick(state_, cpu); }

void FairClass::ChargeClockReads(CpuNumber from, CpuNumber to, CpuNumber by) {
  const std::int64_t cost_ns = state_.machine.costs().clock_read_ns;
  switch (state_.switches.clock_reads_per_wakeup) {
    case ClockReadsPerWakeup::kOne:
      return;
    case ClockReadsPerWakeup::kTwoIfMoved:
      if (from != to) state_.machine.Charge(by, cost_ns);
      return;
    case ClockReadsPerWakeup::kTwo:
      state_.machine.Charge(by, cost_ns);
      return;
  }
}

void FairClass::NoteWakeup(CpuNumber cpu) { NoteWakeupAfterIdle(state_, cpu); }

void FairClass::BalanceAtTick(CpuNumber cpu) {
  UpdateLoadHistory(state_, cpu);
  fair::BalanceAtTick(state_, cpu);
}

bool FairClass::TimerFired(CpuNumber cpu, std::int32_t timer) {
  return HandleIdleTick(state_, cpu, timer) || BandwidthTimerFired(state_, timer);
}

void FairClass::BalanceRequested(CpuNumber cpu) { BalanceForIdleCpus(state_, cpu); }

void FairClass::PushRequested(CpuNumber cpu) { PushOneTask(state_, cpu); }

void FairClass::IdleEntered(CpuNumber cpu) { MarkTickless(state_, cpu); }

void FairClass::IdleLeft(CpuNumber cpu) { NoteIdleEnd(state_, cpu); }

void FairClass::GroupChanged(const TaskGroup& group) { ApplyGroup(state_, group); }

void FairClass::Offline(CpuNumber cpu) {
  if (state_.tickless.Contains(cpu)) {
    state_.tickless.Remove(cpu);
    --state_.tickless_count;
  }
  RunQueue& queue = state_.Queue(cpu);
  for (Task* task = queue.list_head; task != nullptr; task = queue.list_head) {
    SCHEDLAB_CHECK(task->fair.is_delayed);
    FinishDelayed(state_, *task);
  }
  queue.has_idle_stamp = false;
  queue.is_balance_requested = false;
  queue.is_pushing = false;
  if (state_.balance.idle_owner == cpu) state_.balance.idle_owner = kNoCpu;
  NoteOffline(state_, cpu);
  RebuildDomains();
}

void FairClass::Online(CpuNumber /*cpu*/) { RebuildDomains(); }

void FairClass::RebuildDomains() { state_.domains.Rebuild(state_.machine.online()); }

bool FairClass::HandsOver(Task& task, CpuNumber cpu, const Context& context) {
  const CpuNumber by = context.cpu;
  if (cpu != by) {
    Domain* const domain = state_.domains.LowestWith(by, cpu);
    if (domain != nullptr) ++domain->wakeups_remote;
  }
  ChargeWakeupLocks(state_, by, task.cpu, cpu);
  // One that is queued still only has to be told to stay.
  if (task.fair.is_delayed || !GoesToWakeList(state_, by, cpu)) return false;
  NoteWakeupBy(state_, context);
  PutOnWakeList(state_, cpu, task, by);
  return true;
}

std::vector<Task*> FairClass::TakeHandedOver(CpuNumber cpu) { return TakeWakeList(state_, cpu); }

bool FairClass::ForgetHandedOver(Task& task) {
  if (!RemoveFromWakeList(state_, task)) return false;
  // It comes back as one that is moved, whose vruntime is relative.
  if (IsFair(task.attributes.policy)) DetachVruntime(state_, task);
  return true;
}

std::int32_t FairClass::HandedOverCount(CpuNumber cpu) const {
  return static_cast<std::int32_t>(state_.balance.wake_lists[static_cast<std::size_t>(cpu)].size());
}

void FairClass::CheckInvariants() const {
  for (const std::unique_ptr<FairGroup>& group : state_.groups) {
    if (group != nullptr) CheckGroup(state_, *group);
  }
  for (const auto& session : state_.sessions) CheckGroup(state_, *session.second);
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    CheckQueue(state_, state_.Queue(cpu));
    for (const Domain& domain : state_.domains.Of(cpu)) CheckDomain(domain);
    CheckWakeups(state_.machine.cpu_counters(cpu), state_.domains.Of(cpu));
  }
}

std::vector<DomainReport> FairClass::DomainReports(CpuNumber cpu) const {
  std::vector<DomainReport> reports;
  for (const Domain& domain : state_.domains.Of(cpu)) {
    DomainReport& report = reports.emplace_back();
    report.name = NameOf(domain.parameters.level);
    report.span = domain.span;
    report.passes = domain.passes;
    report.active_count = domain.active_count;
    report.active_failed = domain.active_failed;
    report.active_pushed = domain.active_pushed;
    report.wakeups_remote = domain.wakeups_remote;
    report.wakeups_moved_affine = domain.wakeups_moved_affine;
  }
  return reports;
}

void FairClass::AddMetrics(std::map<std::string, double>& metrics) const {
  if (!state_.period_timers.empty()) {
    metrics["throttled_seconds"] = static_cast<double>(ThrottledTime(state_).count()) / 1e9;
  }
  std::array<PassCounters, kIdleTypeCount> totals;
  bool has_domains = false;
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    const std::vector<Domain>& domains = state_.domains.Of(cpu);
    if (domains.empty()) continue;
    has_domains = true;
    for (std::size_t i = 0; i < kIdleTypeCount; ++i) totals[i].Add(domains.front().passes[i]);
  }
  if (!has_domains) return;
  for (std::size_t i = 0; i < kIdleTypeCount; ++i) {
    const auto add = [&](std::string_view counter, std::int64_t value) {
      metrics[fmt::format("lb_{}_{}", counter, kIdleTypeNames[i])] = static_cast<double>(value);
    };
    add("count", totals[i].count);
    add("balanced", totals[i].balanced);
    add("failed", totals[i].failed);
    add("gained", totals[i].gained);
    add("imbalance", totals[i].imbalance_load);
  }
  AddMetricsByLevel(metrics);
}

// The level begins the name, so that each is a family of its own among what explains a change.
void FairClass::AddMetricsByLevel(std::map<std::string, double>& metrics) const {
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    for (const Domain& domain : state_.domains.Of(cpu)) {
      const std::string_view level = MetricPrefixOf(domain.parameters.level);
      for (std::size_t i = 0; i < kIdleTypeCount; ++i) {
        const auto add = [&](std::string_view counter, std::int64_t value) {
          metrics[fmt::format("{}_lb_{}_{}", level, counter, kIdleTypeNames[i])] +=
              static_cast<double>(value);
        };
        add("count", domain.passes[i].count);
        add("failed", domain.passes[i].failed);
        add("gained", domain.passes[i].gained);
      }
    }
  }
}

}  // namespace schedlab::sim::fair
