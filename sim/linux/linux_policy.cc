#include "sim/linux/linux_policy.h"

#include <fmt/format.h>

#include "core/check.h"

namespace schedlab::sim::linux {
namespace {

RtOptions RtOptionsOf(const fair::Switches& switches) {
  const bool is_throttled = switches.rt_throttling == fair::RtThrottling::kThrottled;
  return {.throttling = is_throttled ? RtThrottling::kOn : RtThrottling::kOff,
          .sharing = switches.rt_runtime_sharing};
}

FairServerMode ServerModeOf(const fair::Switches& switches) {
  const bool has_server = switches.rt_throttling == fair::RtThrottling::kFairServer;
  return has_server ? FairServerMode::kOn : FairServerMode::kOff;
}

}  // namespace

LinuxPolicy::LinuxPolicy(Machine& machine, const fair::Switches& switches)
    : machine_(machine),
      has_deadline_class_(switches.deadline_class == fair::OnOff::kOn),
      fair_(machine, switches),
      rt_(machine, fair_.higher(), RtOptionsOf(switches)),
      deadline_(
          machine, fair_.higher(),
          {.enforcement = switches.deadline_enforcement, .fair_server = ServerModeOf(switches)}),
      fair_server_(machine, ServerModeOf(switches)),
      classes_{&deadline_, &rt_, &fair_},
      cpus_(static_cast<std::size_t>(machine.cpu_count())) {}

Status LinuxPolicy::Admit(Task& task, const SchedAttributes& attributes) {
  const bool wants_deadline = attributes.policy == SchedPolicy::kDeadline;
  if (wants_deadline && !has_deadline_class_) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("this kernel has no deadline class for '{}'", task.name));
  }
  const bool concerns_deadlines =
      wants_deadline || task.attributes.policy == SchedPolicy::kDeadline;
  return concerns_deadlines ? deadline_.Admit(task, attributes) : Status();
}

CpuNumber LinuxPolicy::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  // The new class is to know it before it chooses.
  if (reason == SelectReason::kWake) EnterClass(task, EnqueueReason::kWoken);
  return Of(task).SelectCpu(task, reason, context);
}

void LinuxPolicy::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) {
  const bool is_woken = reason == EnqueueReason::kWoken;
  if (is_woken) fair_.ChargeClockReads(task.cpu, cpu, context.cpu);
  if (is_woken && fair_.HandsOver(task, cpu, context)) return;
  Arrive(task, cpu, reason, context);
}

void LinuxPolicy::Arrive(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) {
  EnterClass(task, reason);
  Of(task).Enqueue(task, cpu, reason, context);
  fair_server_.SetNeeded(cpu, fair_.QueuedCount(cpu) > 0);
  CheckPreemption(task, context.cpu);
  if (reason == EnqueueReason::kWoken) fair_.NoteWakeup(cpu);
  if (!task.is_throttled && !machine_.NeedsReschedule(cpu)) Of(task).WokenBehind(task, context);
}

void LinuxPolicy::WakeupsArrived(CpuNumber cpu) {
  for (Task* const task : fair_.TakeHandedOver(cpu)) {
    Arrive(*task, cpu, EnqueueReason::kWoken, {.cpu = cpu});
  }
}

// A task may have changed its class while it was queued, and also while it was blocked.
void LinuxPolicy::EnterClass(Task& task, EnqueueReason reason) {
  const auto index = static_cast<std::size_t>(task.index);
  const ClassKind kind = ClassOf(task.attributes.policy);
  if (index >= class_of_task_.size()) class_of_task_.resize(index + 1, kind);
  const ClassKind before = class_of_task_[index];
  class_of_task_[index] = kind;
  if (before == kind || reason == EnqueueReason::kNew) return;
  Of(before).Leave(task, reason);
  Of(task).Join(task, reason);
}

void LinuxPolicy::CheckPreemption(Task& task, CpuNumber by) {
  if (task.is_throttled) return;
  const ClassKind kind = ClassOf(task.attributes.policy);
  const PerCpu& own = At(task.cpu);
  const bool is_fair_both = own.runs_fair && kind == ClassKind::kFair;
  if (!own.running || kind < *own.running) {
    machine_.RequestReschedule(task.cpu, by);
  } else if (kind == *own.running || is_fair_both) {
    Of(task).CheckPreemption(task.cpu, task, by);
  }
}

void LinuxPolicy::Dequeue(Task& task, DequeueReason reason) {
  if (fair_.ForgetHandedOver(task)) return;
  Of(task).Dequeue(task, reason);
}

Task* LinuxPolicy::PickNext(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  AccountFair(cpu);
  deadline_.PutCurrent(cpu);
  rt_.PutCurrent(cpu);
  deadline_.FetchBeforePick(cpu, own.running);
  rt_.FetchBeforePick(cpu, own.running);
  fair_server_.SetNeeded(cpu, fair_.QueuedCount(cpu) > 0);
  Task* const next = TakeNext(cpu);
  own.fair_accounted_to = machine_.now();
  fair_.higher().SetRunning(cpu, next != nullptr && !own.runs_fair);
  rt_.SetOutranked(cpu, own.running == ClassKind::kDeadline);
  if (next != nullptr) Of(*next).HandOutAfterPick(cpu);
  return next;
}

Task* LinuxPolicy::TakeNext(CpuNumber cpu) {
  const bool is_served =
      fair_server_.IsServing(cpu) && fair_server_.DeadlineOf(cpu) < deadline_.EarliestDeadline(cpu);
  // All that it has may be throttled.
  if (is_served) {
    if (Task* const next = TakeFair(cpu, ClassKind::kDeadline); next != nullptr) return next;
  }
  if (Task* const next = TakeHigher(cpu); next != nullptr) return next;
  return TakeFair(cpu, ClassKind::kFair);
}

// The fair class knows best what to do with its running task while it may be chosen again.
Task* LinuxPolicy::TakeFair(CpuNumber cpu, ClassKind rank) {
  PerCpu& own = At(cpu);
  Task* const next = fair_.TakeNext(cpu);
  own.runs_fair = next != nullptr;
  own.running.reset();
  if (next != nullptr) own.running = rank;
  return next;
}

Task* LinuxPolicy::TakeHigher(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  Task* next = deadline_.TakeNext(cpu);
  const ClassKind kind = next != nullptr ? ClassKind::kDeadline : ClassKind::kRealTime;
  if (next == nullptr) next = rt_.TakeNext(cpu);
  if (next == nullptr) return nullptr;
  fair_.PutCurrent(cpu);
  own.running = kind;
  own.runs_fair = false;
  return next;
}

// Returns whether the fair server is done with `cpu` for now.
bool LinuxPolicy::AccountFair(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (!own.runs_fair) return false;
  const SimDuration ran = machine_.now() - own.fair_accounted_to;
  own.fair_accounted_to = machine_.now();
  return fair_server_.FairRan(cpu, ran);
}

void LinuxPolicy::Yield(CpuNumber cpu) { Of(*machine_.current(cpu)).Yield(cpu); }

void LinuxPolicy::Tick(CpuNumber cpu) {
  const Task* const current = machine_.current(cpu);
  if (current != nullptr) Of(*current).Tick(cpu);
  if (AccountFair(cpu)) machine_.RequestReschedule(cpu, cpu);
  fair_.BalanceAtTick(cpu);
}

void LinuxPolicy::TimerFired(CpuNumber cpu, std::int32_t timer) {
  if (fair_server_.TimerFired(cpu, timer)) return;
  for (SchedClass* const sched_class : classes_) {
    if (sched_class->TimerFired(cpu, timer)) return;
  }
  SCHEDLAB_CHECK(false);
}

void LinuxPolicy::Offline(CpuNumber cpu) {
  At(cpu).running.reset();
  At(cpu).runs_fair = false;
  fair_server_.SetNeeded(cpu, false);
  fair_.higher().SetRunning(cpu, false);
  fair_.Offline(cpu);
  rt_.SetOnline(cpu, false);
  deadline_.SetOnlineCount(machine_.online().Count());
}

void LinuxPolicy::Online(CpuNumber cpu) {
  fair_.Online(cpu);
  rt_.SetOnline(cpu, true);
  deadline_.SetOnlineCount(machine_.online().Count());
}

void LinuxPolicy::GroupChanged(const TaskGroup& group) {
  for (SchedClass* const sched_class : classes_) sched_class->GroupChanged(group);
}

std::int32_t LinuxPolicy::QueuedCount(CpuNumber cpu) const {
  return CountInClasses(cpu) + fair_.HandedOverCount(cpu);
}

std::int32_t LinuxPolicy::CountInClasses(CpuNumber cpu) const {
  std::int32_t count = 0;
  for (const SchedClass* const sched_class : classes_) {
    count += sched_class->QueuedCount(cpu);
  }
  return count;
}

void LinuxPolicy::CheckInvariants() const {
  for (const SchedClass* const sched_class : classes_) {
    sched_class->CheckInvariants();
  }
}

void LinuxPolicy::AddMetrics(std::map<std::string, double>& metrics) const {
  for (const SchedClass* const sched_class : classes_) {
    sched_class->AddMetrics(metrics);
  }
  if (fair_server_.served_count() == 0) return;
  metrics["fair_server_periods"] = static_cast<double>(fair_server_.served_count());
}

}  // namespace schedlab::sim::linux
