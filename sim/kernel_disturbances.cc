#include <utility>

#include "core/check.h"
#include "sim/kernel.h"

namespace schedlab::sim {

void Kernel::AddDisturbances(const std::vector<HotplugEvent>& hotplug,
                             const std::vector<IrqSource>& irq_sources) {
  hotplug_ = hotplug;
  irq_sources_ = irq_sources;
  for (std::size_t i = 0; i < hotplug_.size(); ++i) {
    const TimerId timer = machine_.AddTimer(TimerKind::kHotplug, static_cast<std::int32_t>(i));
    machine_.events().Arm(timer, SimTime(SimDuration(hotplug_[i].at_ns)));
  }
  for (std::size_t i = 0; i < irq_sources_.size(); ++i) {
    irq_timers_.push_back(machine_.AddTimer(TimerKind::kIrq, static_cast<std::int32_t>(i)));
    machine_.events().Arm(irq_timers_[i], SimTime(SimDuration(irq_sources_[i].period_ns)));
  }
}

CpuNumber Kernel::HandleIrq(std::int32_t source) {
  const auto index = static_cast<std::size_t>(source);
  const CpuNumber cpu = machine_.OnlineFor(irq_sources_[index].cpu);
  RaiseIrq(cpu, SimDuration(irq_sources_[index].duration_ns));
  machine_.events().Arm(irq_timers_[index], now() + SimDuration(irq_sources_[index].period_ns));
  return cpu;
}

CpuNumber Kernel::HandleHotplug(const HotplugEvent& event) {
  if (event.is_online) {
    BringOnline(event.cpu);
  } else {
    TakeOffline(event.cpu);
  }
  return machine_.OnlineFor(event.cpu);
}

// Whoever runs or waits there goes elsewhere; who sleeps finds out when it wakes.
void Kernel::TakeOffline(CpuNumber cpu) {
  SCHEDLAB_CHECK(machine_.IsOnline(cpu) && machine_.online().Count() > 1);
  const std::vector<Task*> evicted = Evict(cpu);
  machine_.SetOffline(cpu);
  policy_.Offline(cpu);
  if (machine_.observer() != nullptr) machine_.observer()->OnlineChanged(now(), cpu, false);
  const CpuNumber by = machine_.OnlineFor(cpu);
  for (Task* const task : evicted) {
    const CpuNumber to = Fallback(*task);
    policy_.Enqueue(*task, to, EnqueueReason::kChanged, {.cpu = by});
    machine_.NoteMigration(*task, cpu, to);
  }
}

std::vector<Task*> Kernel::Evict(CpuNumber cpu) {
  std::vector<Task*> evicted;
  for (Task& task : machine_.tasks()) {
    const bool is_runnable = task.state == TaskState::kQueued || task.state == TaskState::kRunning;
    if (!is_runnable || task.cpu != cpu) continue;
    policy_.Dequeue(task, DequeueReason::kChanged);
    evicted.push_back(&task);
  }
  Task* const running = machine_.current(cpu);
  if (running == nullptr) return evicted;
  SetQueued(*running);
  Leave(cpu, *running);
  if (machine_.observer() != nullptr) machine_.observer()->Switched(now(), cpu, running, nullptr);
  left_ = nullptr;
  return evicted;
}

void Kernel::BringOnline(CpuNumber cpu) {
  SCHEDLAB_CHECK(!machine_.IsOnline(cpu));
  machine_.SetOnline(cpu);
  machine_.EnterIdle(cpu);
  policy_.Online(cpu);
  policy_.IdleEntered(cpu);
  if (machine_.observer() != nullptr) machine_.observer()->OnlineChanged(now(), cpu, true);
  // A thread of the CPU itself comes home.
  if (housekeeping_tasks_.empty()) return;
  SetAffinity(*housekeeping_tasks_[static_cast<std::size_t>(cpu)], CpuSet::Of(cpu_count(), {cpu}));
}

// A policy does not know that CPUs go, and may well name the one that a task was on.
CpuNumber Kernel::Select(Task& task, SelectReason reason, const Context& context) {
  if (task.FirstAllowed() == kNoCpu) return Fallback(task);
  const CpuNumber cpu = policy_.SelectCpu(task, reason, context);
  return task.MayRunOn(cpu) ? cpu : Fallback(task);
}

// An online CPU that `task` may run on, near to where it was. Its affinity is given up where there
// is none, and where its group has none either, its group's CPUs are not heeded.
CpuNumber Kernel::Fallback(Task& task) {
  if (task.FirstAllowed() == kNoCpu) {
    task.affinity = machine_.Intern(machine_.AllCpus());
    SetAllowed(task, AllowedOf(task));
  }
  if (task.FirstAllowed() == kNoCpu) SetAllowed(task, machine_.AllCpus());
  CpuNumber nearest = task.FirstAllowed();
  for (CpuNumber cpu = nearest; cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (!task.MayRunOn(cpu)) continue;
    const Distance distance = machine_.DistanceBetween(task.cpu, cpu);
    if (distance < machine_.DistanceBetween(task.cpu, nearest)) nearest = cpu;
  }
  return nearest;
}

// Requires that no policy has `task` queued.
void Kernel::SetAllowed(Task& task, const CpuSet& allowed) {
  if (task.CountsAsWaiting()) machine_.ChangeWaiting(-1);
  task.allowed = machine_.Intern(allowed);
  task.allowed_count = allowed.Count();
  if (task.CountsAsWaiting()) machine_.ChangeWaiting(1);
}

CpuSet Kernel::AllowedOf(const Task& task) const {
  const CpuSet& group = group_cpus_[static_cast<std::size_t>(task.group->index)];
  CpuSet allowed = task.affinity.And(group);
  return allowed.First() != kNoCpu ? allowed : group;
}

// A group without a CPU of its parent's has all of these.
void Kernel::UpdateCpusets() {
  bool has_changed = false;
  for (const TaskGroup& group : groups_) {
    if (group.parent == nullptr) continue;
    const CpuSet& parent = group_cpus_[static_cast<std::size_t>(group.parent->index)];
    CpuSet cpus = group.cpus.And(parent);
    if (cpus.First() == kNoCpu) cpus = parent;
    CpuSet& known = group_cpus_[static_cast<std::size_t>(group.index)];
    has_changed = has_changed || !(known == cpus);
    known = std::move(cpus);
  }
  if (!has_changed) return;
  for (Task& task : machine_.tasks()) {
    if (task.group == nullptr || AllowedOf(task) == task.allowed) continue;
    SetAffinity(task, CpuSet(task.affinity));
  }
}

}  // namespace schedlab::sim
