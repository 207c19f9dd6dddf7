#include "sim/linux/rt_class.h"

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim::linux {
namespace {

constexpr std::int64_t kSliceMs = 100;  // RR_TIMESLICE

}  // namespace

RtClass::RtClass(Machine& machine, HigherClasses& higher, const RtOptions& options)
    : machine_(machine),
      higher_(higher),
      bandwidth_(machine.cpu_count(), options.throttling, options.sharing),
      priorities_(machine),
      overloaded_(machine.cpu_count()),
      cpus_(static_cast<std::size_t>(machine.cpu_count())),
      slice_ticks_(std::max<std::int64_t>(1, kSliceMs * machine.tick_hz() / 1000)),
      period_timer_(machine.AddPolicyTimer(0)) {}

// The last CPU, unless it executes something that `task` may not displace, or that has nowhere else
// to go.
CpuNumber RtClass::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  if (reason == SelectReason::kExec) return task.cpu;
  const CpuNumber home = reason == SelectReason::kWake ? task.cpu
                         : task.MayRunOn(context.cpu)  ? context.cpu
                                                       : task.FirstAllowed();
  if (task.IsPinned()) return home;
  const std::int32_t level = RtLevelOf(task.attributes);
  const Task* const running = At(home).current;
  const bool is_taken = higher_.is_running(home) &&
                        (running == nullptr || running->IsPinned() || running->rt.level <= level);
  if (!is_taken) return home;
  task.rt.level = level;
  const CpuNumber lowest = FindLowest(task, context.cpu);
  return lowest != kNoCpu ? lowest : home;
}

void RtClass::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& /*context*/) {
  const std::int32_t level = RtLevelOf(task.attributes);
  const bool was_elsewhere = task.cpu != cpu;
  const bool keeps_place = reason == EnqueueReason::kChanged && !was_elsewhere &&
                           (level > task.rt.level || (level == task.rt.level && task.rt.was_first));
  task.rt.level = level;
  task.rt.was_first = false;
  if (task.rt.slice_ticks_left == 0) task.rt.slice_ticks_left = slice_ticks_;
  UpdateCurrent(cpu);
  Insert(task, cpu, keeps_place ? End::kFront : End::kBack);
  StartPeriod();
}

void RtClass::Dequeue(Task& task, DequeueReason /*reason*/) {
  const CpuNumber cpu = task.cpu;
  UpdateCurrent(cpu);
  task.rt.was_first = At(cpu).queue.First(task.rt.level) == &task;
  Remove(task);
  if (At(cpu).current == &task) At(cpu).current = nullptr;
}

void RtClass::Insert(Task& task, CpuNumber cpu, End end) {
  has_been_used_ = true;
  task.cpu = cpu;
  PerCpu& own = At(cpu);
  if (end == End::kFront) {
    own.queue.PushFront(task);
  } else {
    own.queue.PushBack(task);
  }
  if (bandwidth_.IsThrottled(cpu)) {
    machine_.SetThrottled(task, true);
  } else {
    higher_.ChangeRunnable(cpu, 1);
  }
  NoteQueueChanged(cpu);
}

void RtClass::Remove(Task& task) {
  const CpuNumber cpu = task.cpu;
  At(cpu).queue.Remove(task);
  if (bandwidth_.IsThrottled(cpu)) {
    machine_.SetThrottled(task, false);
  } else {
    higher_.ChangeRunnable(cpu, -1);
  }
  NoteQueueChanged(cpu);
}

void RtClass::NoteQueueChanged(CpuNumber cpu) {
  const RtQueue& queue = At(cpu).queue;
  priorities_.SetLevel(cpu, queue.HighestLevel());
  if (queue.task_count() > 1 && queue.movable_count() > 0) {
    overloaded_.Add(cpu);
  } else {
    overloaded_.Remove(cpu);
  }
}

void RtClass::UpdateCurrent(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.current == nullptr) return;
  const SimDuration ran = machine_.now() - own.accounted_to;
  if (ran <= SimDuration{0}) return;
  own.accounted_to = machine_.now();
  higher_.Ran(cpu, ran);
  if (!bandwidth_.Charge(cpu, ran)) return;
  ++throttle_count_;
  SetThrottled(cpu, true);
}

// The account of `cpu` says so already.
void RtClass::SetThrottled(CpuNumber cpu, bool is_throttled) {
  PerCpu& own = At(cpu);
  higher_.ChangeRunnable(cpu, is_throttled ? -own.queue.task_count() : own.queue.task_count());
  for (std::int32_t level = own.queue.HighestLevel(); level < kNoRtLevel;
       level = own.queue.NextLevel(level + 1)) {
    for (Task* task = own.queue.First(level); task != nullptr; task = task->rt.next) {
      machine_.SetThrottled(*task, is_throttled);
    }
  }
}

void RtClass::CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) {
  PerCpu& own = At(cpu);
  if (own.current == nullptr) {
    machine_.RequestReschedule(cpu, by);
    return;
  }
  if (task.rt.level < own.current->rt.level) {
    machine_.RequestReschedule(cpu, by);
    return;
  }
  if (task.rt.level > own.current->rt.level || machine_.NeedsReschedule(cpu)) return;
  // Of two that are as urgent, the one that can go elsewhere gives way to the one that cannot.
  const std::int32_t level = task.rt.level;
  const Task& current = *own.current;
  if (current.IsPinned() || priorities_.LeastUrgent(current, level).First() == kNoCpu) return;
  if (!task.IsPinned() && priorities_.LeastUrgent(task, level).First() != kNoCpu) return;
  own.queue.Remove(task);
  own.queue.PushFront(task);
  machine_.RequestReschedule(cpu, by);
}

void RtClass::PutCurrent(CpuNumber cpu) {
  UpdateCurrent(cpu);
  At(cpu).current = nullptr;
}

// A CPU that is about to execute something less urgent than before looks for more urgent tasks.
void RtClass::FetchBeforePick(CpuNumber cpu, std::optional<ClassKind> previous) {
  if (!previous || *previous == ClassKind::kFair) return;
  const std::int32_t before = *previous == ClassKind::kDeadline ? -1 : At(cpu).last_level;
  if (At(cpu).queue.HighestLevel() > before) Pull(cpu);
}

Task* RtClass::TakeNext(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.queue.task_count() == 0 || bandwidth_.IsThrottled(cpu)) return nullptr;
  own.last_level = own.queue.HighestLevel();
  own.current = own.queue.First(own.last_level);
  own.accounted_to = machine_.now();
  return own.current;
}

void RtClass::WokenBehind(Task& task, const Context& context) {
  if (task.IsPinned()) return;
  const Task* const current = At(task.cpu).current;
  const bool gives_way =
      current != nullptr && !current->IsPinned() && current->rt.level > task.rt.level;
  if (!gives_way) Push(task.cpu, context.cpu);
}

void RtClass::Yield(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  own.queue.Remove(*own.current);
  own.queue.PushBack(*own.current);
}

void RtClass::Tick(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  UpdateCurrent(cpu);
  if (bandwidth_.IsThrottled(cpu)) {
    machine_.RequestReschedule(cpu, cpu);
    return;
  }
  if (own.current == nullptr) return;
  Task& task = *own.current;
  if (task.attributes.policy != SchedPolicy::kRoundRobin) return;
  if (--task.rt.slice_ticks_left > 0) return;
  task.rt.slice_ticks_left = slice_ticks_;
  if (own.queue.IsAlone(task)) return;
  own.queue.Remove(task);
  own.queue.PushBack(task);
  machine_.RequestReschedule(cpu, cpu);
}

void RtClass::StartPeriod() {
  if (is_period_active_ || !bandwidth_.is_limited()) return;
  is_period_active_ = true;
  machine_.ArmPolicyTimer(period_timer_, machine_.now() + kRtPeriod);
}

bool RtClass::TimerFired(CpuNumber by, std::int32_t timer) {
  if (timer != period_timer_) return false;
  is_period_active_ = false;
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    if (bandwidth_.Refill(cpu)) {
      SetThrottled(cpu, false);
      if (At(cpu).queue.task_count() > 0) machine_.RequestReschedule(cpu, by);
    }
    if (At(cpu).queue.task_count() > 0 || bandwidth_.HasDebt(cpu)) is_period_active_ = true;
  }
  if (is_period_active_) machine_.ArmPolicyTimer(period_timer_, machine_.now() + kRtPeriod);
  return true;
}

void RtClass::Push(CpuNumber cpu, CpuNumber by) {
  while (PushOne(cpu, by)) {
  }
}

bool RtClass::PushOne(CpuNumber cpu, CpuNumber by) {
  if (!overloaded_.Contains(cpu)) return false;
  Task* const task = BestMovable(cpu, kNoCpu);
  if (task == nullptr) return false;
  const Task* const current = At(cpu).current;
  if (current != nullptr && task->rt.level < current->rt.level) {
    machine_.RequestReschedule(cpu, by);
    return false;
  }
  const CpuNumber lowest = FindLowest(*task, by);
  if (lowest == kNoCpu || lowest == cpu) return false;
  ++push_count_;
  Move(*task, lowest, by);
  return true;
}

// Looks at every overloaded CPU, since each may have a task more urgent than the ones before.
void RtClass::Pull(CpuNumber cpu) {
  for (CpuNumber from = overloaded_.First(); from != kNoCpu;
       from = overloaded_.NextFrom(from + 1)) {
    if (from == cpu) continue;
    machine_.ChargeProbe(cpu, from);
    Task* const task = BestMovable(from, cpu);
    if (task == nullptr || task->rt.level >= At(cpu).queue.HighestLevel()) continue;
    // It is about to run where it is: it has been woken and its CPU has not chosen yet.
    const Task* const current = At(from).current;
    if (current == nullptr ? !higher_.is_running(from) : task->rt.level < current->rt.level) {
      continue;
    }
    ++pull_count_;
    Move(*task, cpu, cpu);
  }
}

// The most urgent waiting task of `from` that may run on `to`; kNoCpu stands for any other CPU.
Task* RtClass::BestMovable(CpuNumber from, CpuNumber to) const {
  const PerCpu& own = At(from);
  for (std::int32_t level = own.queue.HighestLevel(); level < kNoRtLevel;
       level = own.queue.NextLevel(level + 1)) {
    for (Task* task = own.queue.First(level); task != nullptr; task = task->rt.next) {
      if (task == own.current || task->IsPinned()) continue;
      if (to == kNoCpu || task->MayRunOn(to)) return task;
    }
  }
  return nullptr;
}

CpuNumber RtClass::FindLowest(const Task& task, CpuNumber here) {
  const CpuSet lowest = priorities_.LeastUrgent(task, task.rt.level);
  if (lowest.First() == kNoCpu) return kNoCpu;
  const CpuNumber cpu = NearestCpu(machine_, lowest, task.cpu, here);
  machine_.ChargeProbe(here, cpu);
  return cpu;
}

void RtClass::Move(Task& task, CpuNumber to, CpuNumber by) {
  const CpuNumber from = task.cpu;
  machine_.ChargeLock(by, from, machine_.costs().move_task_ns);
  machine_.ChargeLock(by, to, 0);
  Remove(task);
  Insert(task, to, End::kBack);
  machine_.NoteMigration(task, from, to);
  machine_.RequestReschedule(to, by);
}

void RtClass::CheckInvariants() const {
  bandwidth_.CheckInvariants();
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    const PerCpu& own = At(cpu);
    std::int32_t count = 0;
    std::int32_t movable_count = 0;
    bool has_current = own.current == nullptr;
    for (std::int32_t level = own.queue.HighestLevel(); level < kNoRtLevel;
         level = own.queue.NextLevel(level + 1)) {
      for (const Task* task = own.queue.First(level); task != nullptr; task = task->rt.next) {
        SCHEDLAB_CHECK(task->cpu == cpu && task->rt.level == level);
        SCHEDLAB_CHECK(task->is_throttled == bandwidth_.IsThrottled(cpu));
        ++count;
        movable_count += task->IsPinned() ? 0 : 1;
        has_current = has_current || task == own.current;
      }
    }
    SCHEDLAB_CHECK(count == own.queue.task_count() && movable_count == own.queue.movable_count());
    SCHEDLAB_CHECK(has_current);
    SCHEDLAB_CHECK(overloaded_.Contains(cpu) == (count > 1 && movable_count > 0));
  }
}

void RtClass::AddMetrics(std::map<std::string, double>& metrics) const {
  if (!has_been_used_) return;
  metrics["rt_pushes"] = static_cast<double>(push_count_);
  metrics["rt_pulls"] = static_cast<double>(pull_count_);
  metrics["rt_throttles"] = static_cast<double>(throttle_count_);
}

}  // namespace schedlab::sim::linux
