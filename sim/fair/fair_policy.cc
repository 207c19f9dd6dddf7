#include "sim/fair/fair_policy.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "sim/fair/balance_pass.h"
#include "sim/fair/load_history.h"
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

void CheckPasses(const PassCounters& passes) {
  SCHEDLAB_CHECK(passes.count == passes.balanced + passes.failed + passes.moved_passes);
  SCHEDLAB_CHECK(passes.gained >= passes.moved_passes);
}

}  // namespace

FairPolicy::FairPolicy(Machine& machine, const Switches& switches) : state_(machine, switches) {}

CpuNumber FairPolicy::SelectCpuForWakeup(Task& task, const Context& context) {
  NoteWakee(state_, context, task);
  return fair::SelectCpuForWakeup(state_, task, context);
}

CpuNumber FairPolicy::SelectCpuForNew(Task& task, const Context& context) {
  return fair::SelectCpuForNew(state_, task, context);
}

void FairPolicy::EnqueueWoken(Task& task, CpuNumber cpu, const Context& context) {
  DetachVruntime(state_, task);
  Enqueue(state_, cpu, task, Arrival::kWoken);
  CheckPreemption(state_, cpu, task, context.cpu);
  NoteWakeupAfterIdle(state_, cpu);
}

void FairPolicy::EnqueueNew(Task& task, CpuNumber cpu, const Context& context) {
  PlaceNew(state_, context.cpu, task);
  Enqueue(state_, cpu, task, Arrival::kNew);
  CheckPreemption(state_, cpu, task, context.cpu);
}

void FairPolicy::DequeueCurrent(CpuNumber cpu) {
  Task* const current = state_.Queue(cpu).current;
  SCHEDLAB_CHECK(current != nullptr);
  Dequeue(state_, cpu, *current, Departure::kBlocked);
}

Task* FairPolicy::PickNext(CpuNumber cpu) {
  PutCurrent(state_, cpu);
  if (state_.Queue(cpu).task_count == 0) BalanceNewlyIdle(state_, cpu);
  return TakeNext(state_, cpu);
}

void FairPolicy::Tick(CpuNumber cpu) {
  CheckPreemptionAtTick(state_, cpu);
  UpdateLoadHistory(state_, cpu);
  BalanceAtTick(state_, cpu);
}

void FairPolicy::BalanceRequested(CpuNumber cpu) { BalanceForIdleCpus(state_, cpu); }

void FairPolicy::PushRequested(CpuNumber cpu) { PushOneTask(state_, cpu); }

void FairPolicy::IdleEntered(CpuNumber cpu) { MarkTickless(state_, cpu); }

void FairPolicy::IdleLeft(CpuNumber cpu) { CatchUpIdleHistory(state_, cpu); }

void FairPolicy::CheckInvariants() const {
  for (CpuNumber cpu = 0; cpu < state_.machine.cpu_count(); ++cpu) {
    CheckQueue(state_.Queue(cpu));
    for (const Domain& domain : state_.domains.Of(cpu)) {
      for (const PassCounters& passes : domain.passes) CheckPasses(passes);
    }
  }
}

void FairPolicy::AddMetrics(std::map<std::string, double>& metrics) const {
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
