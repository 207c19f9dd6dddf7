#include "sim/linux/deadline_class.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "sim/linux/cpu_priorities.h"
#include "sim/linux/deadline_server.h"

namespace schedlab::sim::linux {
namespace {

// The least runtime that is any.
constexpr SimDuration kOfUse{1};

}  // namespace

DeadlineClass::DeadlineClass(Machine& machine, HigherClasses& higher,
                             const DeadlineOptions& options)
    : machine_(machine),
      higher_(higher),
      enforcement_(options.enforcement),
      bandwidth_(machine.cpu_count(), options.fair_server),
      free_(machine.AllCpus()),
      overloaded_(machine.cpu_count()),
      cpus_(static_cast<std::size_t>(machine.cpu_count())) {}

// Global EDF promises its bandwidth for the machine as a whole, so a task must be allowed on all of
// it: only an exclusive cpuset, which is not modelled, could confine it.
Status DeadlineClass::Admit(Task& task, const SchedAttributes& attributes) {
  if (attributes.policy != SchedPolicy::kDeadline) {
    bandwidth_.Release(task.dl.admitted);
    task.dl.admitted = 0;
    return {};
  }
  if (task.allowed_count < machine_.cpu_count()) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("a deadline task must be allowed on all {} CPUs; '{}' is on {}",
                            machine_.cpu_count(), task.name, task.allowed_count));
  }
  const Result<std::int64_t> reserved = bandwidth_.Reserve(task.dl.admitted, attributes);
  if (!reserved) return Fail(reserved.error());
  task.dl.admitted = *reserved;
  return {};
}

CpuNumber DeadlineClass::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  if (reason == SelectReason::kExec) return task.cpu;
  const CpuNumber home = reason == SelectReason::kWake ? task.cpu
                         : task.MayRunOn(context.cpu)  ? context.cpu
                                                       : task.FirstAllowed();
  if (task.IsPinned()) return home;
  if (reason == SelectReason::kFork) StartServer(task, machine_.now());
  const Task* const running = At(home).current;
  if (running == nullptr) return home;
  if (!running->IsPinned() && task.dl.deadline < running->dl.deadline) return home;
  const CpuNumber later = FindLater(task, context.cpu);
  return later != kNoCpu ? later : home;
}

void DeadlineClass::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason,
                            const Context& /*context*/) {
  has_been_used_ = true;
  const CpuNumber from = task.cpu;
  task.cpu = cpu;
  Account(cpu);
  ++At(cpu).runnable_count;
  if (reason == EnqueueReason::kNew || !task.dl.has_started) StartServer(task, machine_.now());
  const bool is_waiting_for_period =
      task.dl.timer >= 0 && machine_.IsPolicyTimerArmed(task.dl.timer);
  if (is_waiting_for_period) {
    if (from != cpu) machine_.MovePolicyTimer(task.dl.timer, cpu);
    machine_.SetThrottled(task, true);
    return;
  }
  if (reason == EnqueueReason::kWoken) {
    if (IsBetweenDeadlineAndPeriod(task)) {
      task.dl.runtime_left = std::min(task.dl.runtime_left, SimDuration{0});
      Throttle(task);
      return;
    }
    WakeServer(task, machine_.now());
  }
  Insert(task, cpu);
}

// One that used its runtime up, slept past its deadline and wakes before its next period would else
// get a second runtime in one period.
bool DeadlineClass::IsBetweenDeadlineAndPeriod(const Task& task) const {
  return IsConstrained(task) && task.dl.deadline < machine_.now() &&
         machine_.now() < NextPeriod(task);
}

void DeadlineClass::Dequeue(Task& task, DequeueReason reason) {
  PerCpu& own = At(task.cpu);
  if (own.current == &task) {
    UpdateCurrent(task.cpu, kOfUse);
    StopBudget(own);
  }
  if (task.dl.is_queued) Remove(task);
  --own.runnable_count;
  if (own.current == &task) own.current = nullptr;
  machine_.SetThrottled(task, false);
  if (reason != DequeueReason::kExited) return;
  bandwidth_.Release(task.dl.admitted);
  task.dl.admitted = 0;
  if (task.dl.timer >= 0) machine_.DisarmPolicyTimer(task.dl.timer);
}

void DeadlineClass::Leave(Task& task, EnqueueReason /*reason*/) {
  task.dl.has_started = false;
  if (task.dl.timer >= 0) machine_.DisarmPolicyTimer(task.dl.timer);
}

void DeadlineClass::Insert(Task& task, CpuNumber cpu) {
  task.cpu = cpu;
  At(cpu).queue.Insert(task, next_sequence_++);
  higher_.ChangeRunnable(cpu, 1);
  NoteQueueChanged(cpu);
}

void DeadlineClass::Remove(Task& task) {
  At(task.cpu).queue.Remove(task);
  higher_.ChangeRunnable(task.cpu, -1);
  NoteQueueChanged(task.cpu);
}

void DeadlineClass::NoteQueueChanged(CpuNumber cpu) {
  const DeadlineQueue& queue = At(cpu).queue;
  if (queue.empty()) {
    free_.Add(cpu);
  } else {
    free_.Remove(cpu);
  }
  if (queue.tasks().size() > 1 && queue.movable_count() > 0) {
    overloaded_.Add(cpu);
  } else {
    overloaded_.Remove(cpu);
  }
}

void DeadlineClass::Account(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.current == nullptr) return;
  const SimDuration ran = machine_.now() - own.accounted_to;
  if (ran <= SimDuration{0}) return;
  own.accounted_to = machine_.now();
  own.current->dl.runtime_left -= ran;
  higher_.Ran(cpu, ran);
}

// The running task is throttled unless it has `least_left` of its runtime.
void DeadlineClass::UpdateCurrent(CpuNumber cpu, SimDuration least_left) {
  Account(cpu);
  Task* const current = At(cpu).current;
  if (current == nullptr || !current->dl.is_queued) return;
  Task& task = *current;
  if (task.dl.runtime_left >= least_left && !task.dl.has_yielded) return;
  Remove(task);
  Throttle(task);
}

// `task` is in no queue. Where its next period has begun already it goes straight back into one.
void DeadlineClass::Throttle(Task& task) {
  ++throttle_count_;
  const SimTime next = NextPeriod(task);
  if (next <= machine_.now()) {
    ReplenishServer(task, machine_.now());
    Insert(task, task.cpu);
    return;
  }
  if (task.dl.timer < 0) {
    task.dl.timer = machine_.AddPolicyTimer(task.cpu);
    timer_tasks_.resize(static_cast<std::size_t>(task.dl.timer) + 1);
    timer_tasks_[static_cast<std::size_t>(task.dl.timer)] = &task;
  }
  machine_.MovePolicyTimer(task.dl.timer, task.cpu);
  machine_.ArmPolicyTimer(task.dl.timer, next);
  machine_.SetThrottled(task, true);
}

void DeadlineClass::EndThrottling(Task& task, CpuNumber by) {
  ReplenishServer(task, machine_.now());
  const bool is_runnable = task.state == TaskState::kQueued || task.state == TaskState::kRunning;
  if (!is_runnable) return;
  machine_.SetThrottled(task, false);
  Account(task.cpu);
  Insert(task, task.cpu);
  if (At(task.cpu).current != nullptr) {
    CheckPreemption(task.cpu, task, by);
  } else {
    machine_.RequestReschedule(task.cpu, by);
  }
  if (!machine_.NeedsReschedule(task.cpu)) Push(task.cpu, by);
}

bool DeadlineClass::TimerFired(CpuNumber cpu, std::int32_t timer) {
  if (timer == At(cpu).budget_timer) {
    EndRuntime(cpu);
    return true;
  }
  const auto index = static_cast<std::size_t>(timer);
  if (index >= timer_tasks_.size() || timer_tasks_[index] == nullptr) return false;
  EndThrottling(*timer_tasks_[index], cpu);
  return true;
}

void DeadlineClass::CheckPreemption(CpuNumber cpu, Task& task, CpuNumber by) {
  PerCpu& own = At(cpu);
  if (!task.dl.is_queued) return;
  if (own.current == nullptr || !own.current->dl.is_queued ||
      task.dl.deadline < own.current->dl.deadline) {
    machine_.RequestReschedule(cpu, by);
    return;
  }
  if (task.dl.deadline > own.current->dl.deadline || machine_.NeedsReschedule(cpu)) return;
  // Of two that are as urgent, the one that can go elsewhere gives way to the one that cannot.
  if (own.current->IsPinned() || FindLater(*own.current, by) == kNoCpu) return;
  if (!task.IsPinned() && FindLater(task, by) != kNoCpu) return;
  machine_.RequestReschedule(cpu, by);
}

void DeadlineClass::PutCurrent(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  UpdateCurrent(cpu, SimDuration{0});
  own.current = nullptr;
  StopBudget(own);
}

void DeadlineClass::StopBudget(PerCpu& own) {
  own.is_last_call = false;
  if (own.budget_timer >= 0) machine_.DisarmPolicyTimer(own.budget_timer);
}

void DeadlineClass::FetchBeforePick(CpuNumber cpu, std::optional<ClassKind> previous) {
  if (previous == ClassKind::kDeadline) Pull(cpu);
}

Task* DeadlineClass::TakeNext(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.queue.empty()) return nullptr;
  own.current = own.queue.Earliest();
  own.accounted_to = machine_.now();
  const SimTime runs_out = machine_.now() + own.current->dl.runtime_left;
  if (enforcement_ == DeadlineEnforcement::kExact) ArmBudget(cpu, runs_out);
  return own.current;
}

void DeadlineClass::ArmBudget(CpuNumber cpu, SimTime at) {
  PerCpu& own = At(cpu);
  if (own.budget_timer < 0) own.budget_timer = machine_.AddPolicyTimer(cpu);
  machine_.ArmPolicyTimer(own.budget_timer, at);
}

// A task that has used exactly its runtime may be done at this very instant, by an event that is
// still to come. So it is stopped by a second one, behind all that were due before.
void DeadlineClass::EndRuntime(CpuNumber cpu) {
  PerCpu& own = At(cpu);
  if (own.current == nullptr) return;
  Account(cpu);
  if (own.current->dl.runtime_left == SimDuration{0} && !own.is_last_call) {
    own.is_last_call = true;
    ArmBudget(cpu, machine_.now());
    return;
  }
  own.is_last_call = false;
  UpdateCurrent(cpu, kOfUse);
  if (own.queue.empty() || own.queue.Earliest() != own.current) {
    machine_.RequestReschedule(cpu, cpu);
  } else if (enforcement_ == DeadlineEnforcement::kExact) {
    ArmBudget(cpu, machine_.now() + own.current->dl.runtime_left);
  }
}

void DeadlineClass::WokenBehind(Task& task, const Context& context) {
  if (task.IsPinned() || !task.dl.is_queued) return;
  const Task* const current = At(task.cpu).current;
  const bool gives_way =
      current != nullptr && !current->IsPinned() && current->dl.deadline > task.dl.deadline;
  if (!gives_way) Push(task.cpu, context.cpu);
}

// The rest of its runtime is forgotten: it is done for this period.
void DeadlineClass::Yield(CpuNumber cpu) {
  At(cpu).current->dl.has_yielded = true;
  UpdateCurrent(cpu, kOfUse);
}

void DeadlineClass::Tick(CpuNumber cpu) {
  if (!At(cpu).is_last_call) EndRuntime(cpu);
}

SimTime DeadlineClass::EarliestDeadline(CpuNumber cpu) const {
  const DeadlineQueue& queue = At(cpu).queue;
  return queue.empty() ? SimTime::max() : queue.Earliest()->dl.deadline;
}

void DeadlineClass::Push(CpuNumber cpu, CpuNumber by) {
  while (PushOne(cpu, by)) {
  }
}

bool DeadlineClass::PushOne(CpuNumber cpu, CpuNumber by) {
  if (!overloaded_.Contains(cpu)) return false;
  Task* const task = EarliestMovable(cpu, kNoCpu);
  if (task == nullptr) return false;
  const Task* const current = At(cpu).current;
  if (current != nullptr && !current->IsPinned() && task->dl.deadline < current->dl.deadline) {
    machine_.RequestReschedule(cpu, by);
    return false;
  }
  const CpuNumber later = FindLater(*task, by);
  if (later == kNoCpu || later == cpu) return false;
  ++push_count_;
  Move(*task, later, by);
  return true;
}

void DeadlineClass::Pull(CpuNumber cpu) {
  for (CpuNumber from = overloaded_.First(); from != kNoCpu;
       from = overloaded_.NextFrom(from + 1)) {
    if (from == cpu) continue;
    machine_.ChargeProbe(cpu, from);
    Task* const task = EarliestMovable(from, cpu);
    if (task == nullptr) continue;
    const DeadlineQueue& queue = At(cpu).queue;
    if (!queue.empty() && task->dl.deadline >= queue.Earliest()->dl.deadline) continue;
    // It is about to run where it is: it has been woken and its CPU has not chosen yet.
    const Task* const current = At(from).current;
    if (current == nullptr || task->dl.deadline < current->dl.deadline) continue;
    ++pull_count_;
    Move(*task, cpu, cpu);
  }
}

// The earliest waiting task of `from` that may run on `to`; kNoCpu stands for any other CPU.
Task* DeadlineClass::EarliestMovable(CpuNumber from, CpuNumber to) const {
  const PerCpu& own = At(from);
  for (auto at = own.queue.tasks().rbegin(); at != own.queue.tasks().rend(); ++at) {
    Task* const task = *at;
    if (task == own.current || task->IsPinned()) continue;
    if (to == kNoCpu || task->MayRunOn(to)) return task;
  }
  return nullptr;
}

// A CPU without deadline tasks near to the task's own, else the one whose earliest deadline is the
// latest of all (cpudl of Linux keeps these in a heap), if that is later than the task's.
CpuNumber DeadlineClass::FindLater(const Task& task, CpuNumber here) {
  CpuSet candidates(machine_.cpu_count());
  CpuNumber latest = kNoCpu;
  for (CpuNumber cpu = task.allowed.First(); cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (free_.Contains(cpu) && task.MayRunOn(cpu)) candidates.Add(cpu);
  }
  if (candidates.First() == kNoCpu) {
    for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
      if (At(cpu).queue.empty()) continue;
      const SimTime deadline = At(cpu).queue.Earliest()->dl.deadline;
      if (latest == kNoCpu || deadline > At(latest).queue.Earliest()->dl.deadline) latest = cpu;
    }
    const bool is_later = latest != kNoCpu && task.MayRunOn(latest) &&
                          task.dl.deadline < At(latest).queue.Earliest()->dl.deadline;
    if (!is_later) return kNoCpu;
    candidates.Add(latest);
  }
  const CpuNumber found = NearestCpu(machine_, candidates, task.cpu, here);
  machine_.ChargeProbe(here, found);
  return found;
}

void DeadlineClass::Move(Task& task, CpuNumber to, CpuNumber by) {
  const CpuNumber from = task.cpu;
  machine_.ChargeLock(by, from, machine_.costs().move_task_ns);
  machine_.ChargeLock(by, to, 0);
  Remove(task);
  --At(from).runnable_count;
  ++At(to).runnable_count;
  Insert(task, to);
  machine_.NoteMigration(task, from, to);
  machine_.RequestReschedule(to, by);
}

void DeadlineClass::CheckInvariants() const {
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    const PerCpu& own = At(cpu);
    std::int32_t movable_count = 0;
    for (const Task* const task : own.queue.tasks()) {
      SCHEDLAB_CHECK(task->cpu == cpu && task->dl.is_queued && !task->is_throttled);
      SCHEDLAB_CHECK(task->dl.admitted > 0);
      movable_count += task->IsPinned() ? 0 : 1;
    }
    const auto count = static_cast<std::int32_t>(own.queue.tasks().size());
    SCHEDLAB_CHECK(count <= own.runnable_count && movable_count == own.queue.movable_count());
    SCHEDLAB_CHECK(free_.Contains(cpu) == own.queue.empty());
    SCHEDLAB_CHECK(overloaded_.Contains(cpu) == (count > 1 && movable_count > 0));
  }
}

void DeadlineClass::AddMetrics(std::map<std::string, double>& metrics) const {
  if (!has_been_used_) return;
  metrics["dl_pushes"] = static_cast<double>(push_count_);
  metrics["dl_pulls"] = static_cast<double>(pull_count_);
  metrics["dl_throttles"] = static_cast<double>(throttle_count_);
}

}  // namespace schedlab::sim::linux
