#include "sim/linux/linux_policy.h"

#include "core/check.h"

namespace schedlab::sim::linux {

LinuxPolicy::LinuxPolicy(Machine& machine, const fair::Switches& switches)
    : machine_(machine),
      fair_(machine, switches),
      classes_{nullptr, nullptr, &fair_},
      running_(static_cast<std::size_t>(machine.cpu_count())) {}

CpuNumber LinuxPolicy::SelectCpu(Task& task, SelectReason reason, const Context& context) {
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
  CheckPreemption(task, context.cpu);
  if (reason == EnqueueReason::kWoken) fair_.NoteWakeup(cpu);
  if (!machine_.NeedsReschedule(cpu)) Of(task).WokenBehind(task, context);
}

void LinuxPolicy::WakeupsArrived(CpuNumber cpu) {
  for (Task* const task : fair_.TakeHandedOver(cpu)) {
    Arrive(*task, cpu, EnqueueReason::kWoken, {.cpu = cpu});
  }
}

// A task may have changed its class while it was queued, and also while it was blocked.
void LinuxPolicy::EnterClass(Task& task, EnqueueReason reason) {
  const auto index = static_cast<std::size_t>(task.index);
  const ClassKind kind = KindOf(task);
  if (index >= class_of_task_.size()) class_of_task_.resize(index + 1, kind);
  const ClassKind before = class_of_task_[index];
  class_of_task_[index] = kind;
  if (before == kind || reason == EnqueueReason::kNew) return;
  classes_[IndexOf(before)]->Leave(task, reason);
  Of(task).Join(task, reason);
}

void LinuxPolicy::CheckPreemption(Task& task, CpuNumber by) {
  const ClassKind kind = KindOf(task);
  const std::optional<ClassKind> running = running_[static_cast<std::size_t>(task.cpu)];
  if (!running || kind < *running) {
    machine_.RequestReschedule(task.cpu, by);
  } else if (kind == *running) {
    Of(task).CheckPreemption(task.cpu, task, by);
  }
}

void LinuxPolicy::Dequeue(Task& task, DequeueReason reason) {
  if (fair_.ForgetHandedOver(task)) return;
  Of(task).Dequeue(task, reason);
}

Task* LinuxPolicy::PickNext(CpuNumber cpu) {
  std::optional<ClassKind>& running = running_[static_cast<std::size_t>(cpu)];
  Task* next = TakeHigher(cpu, running);
  if (next != nullptr) {
    fair_.PutCurrent(cpu);
  } else {
    next = fair_.TakeNext(cpu);
    running = next != nullptr ? std::optional(ClassKind::kFair) : std::nullopt;
  }
  fair_.higher().SetRunning(cpu, running && *running != ClassKind::kFair);
  for (SchedClass* const sched_class : classes_) {
    if (sched_class != nullptr) sched_class->HandOutAfterPick(cpu);
  }
  return next;
}

// The task to execute next of a class above the fair one, whose running task stays where it is.
Task* LinuxPolicy::TakeHigher(CpuNumber cpu, std::optional<ClassKind>& running) {
  constexpr auto kHigherCount = static_cast<std::size_t>(ClassKind::kFair);
  for (std::size_t kind = 0; kind < kHigherCount; ++kind) {
    if (classes_[kind] != nullptr) classes_[kind]->PutCurrent(cpu);
  }
  for (std::size_t kind = 0; kind < kHigherCount; ++kind) {
    if (classes_[kind] != nullptr) classes_[kind]->FetchBeforePick(cpu);
  }
  for (std::size_t kind = 0; kind < kHigherCount; ++kind) {
    if (classes_[kind] == nullptr) continue;
    Task* const next = classes_[kind]->TakeNext(cpu);
    if (next == nullptr) continue;
    running = static_cast<ClassKind>(kind);
    return next;
  }
  return nullptr;
}

void LinuxPolicy::Yield(CpuNumber cpu) { Of(*machine_.current(cpu)).Yield(cpu); }

void LinuxPolicy::Tick(CpuNumber cpu) {
  const Task* const current = machine_.current(cpu);
  if (current != nullptr) Of(*current).Tick(cpu);
  fair_.BalanceAtTick(cpu);
}

void LinuxPolicy::TimerFired(CpuNumber cpu, std::int32_t timer) {
  for (SchedClass* const sched_class : classes_) {
    if (sched_class != nullptr && sched_class->TimerFired(cpu, timer)) return;
  }
  SCHEDLAB_CHECK(false);
}

std::int32_t LinuxPolicy::QueuedCount(CpuNumber cpu) const {
  return CountInClasses(cpu) + fair_.HandedOverCount(cpu);
}

std::int32_t LinuxPolicy::CountInClasses(CpuNumber cpu) const {
  std::int32_t count = 0;
  for (const SchedClass* const sched_class : classes_) {
    if (sched_class != nullptr) count += sched_class->QueuedCount(cpu);
  }
  return count;
}

void LinuxPolicy::CheckInvariants() const {
  for (const SchedClass* const sched_class : classes_) {
    if (sched_class != nullptr) sched_class->CheckInvariants();
  }
}

void LinuxPolicy::AddMetrics(std::map<std::string, double>& metrics) const {
  for (const SchedClass* const sched_class : classes_) {
    if (sched_class != nullptr) sched_class->AddMetrics(metrics);
  }
}

}  // namespace schedlab::sim::linux
