#include "sim/fair/fair_class.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "sim/fair/balance_pass.h"
#include "sim/fair/load_history.h"
#include "sim/fair/pelt.h"
#include "sim/fair/placement.h"
#include "sim/fair/queueing.h"
#include "sim/fair/triggers.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::array<std::string_view, kIdleTypeCount> kIdleTypeNames = {"idle", "busy", "newidle"};

void CheckQueue(const RunQueue& queue) {
  std::int32_t count = 0;
  std::int64_t weight = 0;
  std::int64_t load = 0;
  for (const Task* task = queue.list_head; task != nullptr; task = task->fair.list_next) {
    ++count;
    weight += task->fair.weight;
    load += task->fair.load;
  }
  SCHEDLAB_CHECK(count == queue.task_count);
  SCHEDLAB_CHECK(weight == queue.weight);
  SCHEDLAB_CHECK(load == queue.load);
  const std::size_t running = queue.current == nullptr ? 0 : 1;
  SCHEDLAB_CHECK(queue.waiting.size() + running == static_cast<std::size_t>(count));
}

void SetWeight(Task& task) { task.fair.weight = WeightOf(task.attributes.nice); }

const char* NameOf(Level level) {
  switch (level) {
    case Level::kSmt:
      return "SMT";
    case Level::kMc:
      return "MC";
    case Level::kCpu:
      return "PKG";
    case Level::kNuma:
      return "NUMA";
  }
  return "";
}

void CheckPasses(const PassCounters& passes) {
  SCHEDLAB_CHECK(passes.count == passes.balanced + passes.failed + passes.moved_passes);
  SCHEDLAB_CHECK(passes.gained >= passes.moved_passes);
}

}  // namespace

FairClass::FairClass(Machine& machine, const Switches& switches) : state_(machine, switches) {}

CpuNumber FairClass::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  switch (reason) {
    case SelectReason::kWake:
      NoteWakee(state_, context, task);
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
      SetWeight(task);
      PlaceNew(state_, context.cpu, task);
      fair::Enqueue(state_, cpu, task, Arrival::kNew);
      break;
    case EnqueueReason::kChanged:
      SetWeight(task);
      fair::Enqueue(state_, cpu, task, Arrival::kMoved);
      break;
  }
}

void FairClass::Dequeue(Task& task, DequeueReason reason) {
  const bool changes = reason == DequeueReason::kChanged;
  fair::Dequeue(state_, task.cpu, task, changes ? Departure::kMoved : Departure::kBlocked);
}

// What it keeps while it is of another class is what a task keeps that is taken out of its queue.
void FairClass::Leave(Task& task, EnqueueReason reason) {
  if (reason == EnqueueReason::kWoken) DetachVruntime(state_, task);
}

void FairClass::Join(Task& task, EnqueueReason reason) {
  SetWeight(task);
  if (task.fair.period_sum == 0) {
    InitAverages(task.fair, state_.machine.now(), state_.tunables.latency);
  } else {
    UpdateAverages(task.fair, state_.machine.now(), false);
  }
  // A woken task is taken for one that has blocked in this class.
  if (reason == EnqueueReason::kWoken) task.fair.vruntime += state_.Queue(task.cpu).min_vruntime;
}

void FairClass::CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) {
  fair::CheckPreemption(state_, cpu, task, by);
}

void FairClass::PutCurrent(CpuNumber cpu) { fair::PutCurrent(state_, cpu); }

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

void FairClass::IdleLeft(CpuNumber cpu) { CatchUpIdleHistory(state_, cpu); }

void FairClass::CheckInvariants() const {
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    CheckQueue(state_.Queue(cpu));
    for (const Domain& domain : state_.domains.Of(cpu)) {
      for (const PassCounters& passes : domain.passes) CheckPasses(passes);
    }
  }
}

std::vector<DomainReport> FairClass::DomainReports(CpuNumber cpu) const {
  std::vector<DomainReport> reports;
  for (const Domain& domain : state_.domains.Of(cpu)) {
    DomainReport& report = reports.emplace_back();
    report.name = NameOf(domain.parameters.level);
    report.span = domain.span;
    report.passes = domain.passes;
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
  }
}

}  // namespace schedlab::sim::fair
