#include "sim/fair/fair_class.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "sim/fair/balance_pass.h"
#include "sim/fair/groups.h"
#include "sim/fair/load_history.h"
#include "sim/fair/load_tracking.h"
#include "sim/fair/nohz.h"
#include "sim/fair/overlap.h"
#include "sim/fair/pelt.h"
#include "sim/fair/placement.h"
#include "sim/fair/queueing.h"
#include "sim/fair/triggers.h"
#include "sim/fair/wake_affine.h"
#include "sim/fair/wake_list.h"

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
  sums.task_count += entity.own == nullptr ? 1 : entity.own->task_count;
  sums.weight += entity.weight;
  sums.load += entity.load;
}

void CheckCfsQueue(const CfsQueue& queue) {
  Sums sums;
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
  if (queue.current != nullptr) AddEntity(queue, *queue.current, sums);
  SCHEDLAB_CHECK(queue.entity_count == count + (queue.current == nullptr ? 0 : 1));
  SCHEDLAB_CHECK(queue.task_count == sums.task_count);
  SCHEDLAB_CHECK(queue.weight == sums.weight);
  SCHEDLAB_CHECK(queue.load == sums.load);
  SCHEDLAB_CHECK(queue.entity == nullptr || queue.entity->is_queued == (queue.entity_count > 0));
}

void CheckGroup(const FairGroup& group) {
  std::int64_t weight = 0;
  for (const CfsQueue& queue : group.queues) {
    CheckCfsQueue(queue);
    weight += queue.weight;
  }
  SCHEDLAB_CHECK(weight == group.weight);
}

void CheckQueue(const RunQueue& queue) {
  CheckCfsQueue(queue.root);
  std::int32_t count = 0;
  for (const Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) ++count;
  SCHEDLAB_CHECK(count == queue.task_count);
  SCHEDLAB_CHECK(count == queue.root.task_count);
}

void SetWeight(State& state, Task& task) {
  SetTaskWeight(state, task, WeightOf(task.attributes.nice));
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
      NoteWakee(state_, context, task);
      NoteWakingBy(state_, context.cpu);
      return SelectCpuForWakeup(state_, task, context);
    case SelectReason::kFork:
    case SelectReason::kExec:
      return SelectCpuForNew(state_, task, context);
  }
  return task.cpu;
}

void FairClass::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) {
  switch (reason) {
    case EnqueueReason::kWoken:
      DetachVruntime(state_, task);
      fair::Enqueue(state_, cpu, task, Arrival::kWoken);
      break;
    case EnqueueReason::kNew:
      SetWeight(state_, task);
      PlaceNew(state_, context.cpu, task);
      fair::Enqueue(state_, cpu, task, Arrival::kNew);
      break;
    case EnqueueReason::kChanged:
      SetWeight(state_, task);
      fair::Enqueue(state_, cpu, task, Arrival::kMoved);
      break;
  }
}

void FairClass::Dequeue(Task& task, DequeueReason reason) {
  const bool changes = reason == DequeueReason::kChanged;
  fair::Dequeue(state_, task.cpu, task, changes ? Departure::kMoved : Departure::kBlocked);
  if (reason == DequeueReason::kBlocked) NoteSleep(state_, task);
  if (reason == DequeueReason::kExited) CountNowhere(state_, task);
}

// What it keeps while it is of another class is what a task keeps that is taken out of its queue.
void FairClass::Leave(Task& task, EnqueueReason reason) {
  if (reason == EnqueueReason::kWoken) DetachVruntime(state_, task);
}

void FairClass::Join(Task& task, EnqueueReason reason) {
  SetWeight(state_, task);
  CfsQueue& queue = QueueOf(state_, task, task.cpu);
  if (task.fair.period_sum == 0) {
    TrackNew(state_, queue, task, state_.tunables.latency);
  } else {
    UpdateAverages(task.fair, state_.machine.now(), false);
  }
  // A woken task is taken for one that has blocked in this class.
  if (reason == EnqueueReason::kWoken) task.fair.vruntime += queue.min_vruntime;
}

void FairClass::CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) {
  fair::CheckPreemption(state_, cpu, task, by);
}

void FairClass::PutCurrent(CpuNumber cpu) {
  NoteStillRunnable(state_, cpu);
  fair::PutCurrent(state_, cpu);
}

Task* FairClass::TakeNext(CpuNumber cpu) { return fair::TakeNext(state_, cpu); }

// Others of the same queue go first once: the task is placed behind the last of them.
void FairClass::Yield(CpuNumber cpu) { YieldCurrent(state_, cpu); }

void FairClass::Tick(CpuNumber cpu) { CheckPreemptionAtTick(state_, cpu); }

void FairClass::NoteWakeup(CpuNumber cpu) { NoteWakeupAfterIdle(state_, cpu); }

void FairClass::BalanceNewlyIdle(CpuNumber cpu) { fair::BalanceNewlyIdle(state_, cpu); }

void FairClass::BalanceAtTick(CpuNumber cpu) {
  UpdateLoadHistory(state_, cpu);
  fair::BalanceAtTick(state_, cpu);
}

void FairClass::BalanceRequested(CpuNumber cpu) { BalanceForIdleCpus(state_, cpu); }

void FairClass::PushRequested(CpuNumber cpu) { PushOneTask(state_, cpu); }

void FairClass::IdleEntered(CpuNumber cpu) { MarkTickless(state_, cpu); }

void FairClass::IdleLeft(CpuNumber cpu) { NoteIdleEnd(state_, cpu); }

bool FairClass::TimerFired(CpuNumber cpu, std::int32_t timer) {
  return HandleIdleTick(state_, cpu, timer);
}

void FairClass::GroupChanged(const TaskGroup& group) { ApplyGroup(state_, group); }

bool FairClass::HandsOver(Task& task, CpuNumber cpu, CpuNumber by) {
  if (cpu != by) {
    Domain* const domain = state_.domains.LowestWith(by, cpu);
    if (domain != nullptr) ++domain->wakeups_remote;
  }
  ChargeWakeupLocks(state_, by, task.cpu, cpu);
  if (!GoesToWakeList(state_, by, cpu)) return false;
  PutOnWakeList(state_, cpu, task, by);
  return true;
}

std::vector<Task*> FairClass::TakeHandedOver(CpuNumber cpu) { return TakeWakeList(state_, cpu); }

bool FairClass::ForgetHandedOver(Task& task) { return RemoveFromWakeList(state_, task); }

std::int32_t FairClass::HandedOverCount(CpuNumber cpu) const {
  return static_cast<std::int32_t>(state_.balance.wake_lists[static_cast<std::size_t>(cpu)].size());
}

void FairClass::CheckInvariants() const {
  for (const std::unique_ptr<FairGroup>& group : state_.groups) {
    if (group != nullptr) CheckGroup(*group);
  }
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    CheckQueue(state_.Queue(cpu));
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
}

}  // namespace schedlab::sim::fair
