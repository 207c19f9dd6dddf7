#include "sim/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/random_stream.h"

namespace schedlab::sim {
namespace {

constexpr std::int64_t kEventsBetweenStopChecks = 4096;
constexpr std::int64_t kMaxEventsPerInstant = 10'000'000;
constexpr std::int32_t kHousekeepingRole = -1;
constexpr SimDuration kHousekeepingWork{10'000};

// Words that tell the kinds of things in the digest apart.
enum class Mark : std::uint64_t { kEvent = 1, kSwitch, kQueue };

std::uint64_t Packed(Mark mark, std::int64_t a, std::int64_t b) {
  return (static_cast<std::uint64_t>(mark) << 60U) ^ (static_cast<std::uint64_t>(a) << 32U) ^
         static_cast<std::uint64_t>(b + 1);
}

}  // namespace

Kernel::Kernel(const Topology& topology, Machine& machine, Policy& policy, Workload& workload,
               std::uint64_t seed)
    : machine_(machine), policy_(policy), workload_(workload), seed_(seed) {
  TaskGroup& root = groups_.emplace_back();
  root.name = "/";
  root.cpus = machine_.AllCpus();
  group_cpus_.push_back(root.cpus);
  policy_.GroupChanged(root);
  RandomStream phases(seed, "tick phases");
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    tick_phases_.push_back(SimDuration(phases.Below(Ns(machine_.tick_period()))));
    machine_.EnterIdle(cpu);
    policy_.IdleEntered(cpu);
  }
  AddHousekeeping(topology);
}

Result<RunVerdict> Kernel::Run(SimTime end, std::int64_t event_limit, std::stop_token stop) {
  workload_.Start(*this);
  for (CpuNumber cpu = 0; cpu < cpu_count(); ++cpu) {
    if (machine_.NeedsReschedule(cpu)) Schedule(cpu);
  }
  EventQueue& events = machine_.events();
  bool is_over_limit = false;
  std::int64_t dispatch_count = 0;
  while (!has_ended_ && !is_over_limit && events.NextAt() <= end) {
    instant_event_count_ = events.NextAt() == now() ? instant_event_count_ + 1 : 0;
    Dispatch(events.Fire());
    is_over_limit = event_count_ >= event_limit || instant_event_count_ > kMaxEventsPerInstant;
    if (++dispatch_count % kEventsBetweenStopChecks == 0 && stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, fmt::format("stopped after {} events", dispatch_count));
    }
  }
  RunVerdict verdict = RunVerdict::kCompleted;
  if (is_over_limit) {
    verdict = RunVerdict::kEventLimit;
  } else if (!has_ended_) {
    verdict = IsDeadlocked() ? RunVerdict::kDeadlock : RunVerdict::kTimeLimit;
    events.AdvanceTo(end);
  }
  machine_.Finish();
  return verdict;
}

Task& Kernel::AddTask(std::string_view name, std::int32_t role, std::int32_t number) {
  Task& task = machine_.AddTask(name, machine_.AllCpus());
  task.role = role;
  task.number = number;
  task.group = &groups_.front();
  return task;
}

Task& Kernel::AddTaskOn(std::string_view name, const std::vector<CpuNumber>& cpus,
                        std::int32_t role, std::int32_t number) {
  Task& task = machine_.AddTask(name, CpuSet::Of(cpu_count(), cpus));
  task.cpu = cpus.front();
  task.role = role;
  task.number = number;
  task.group = &groups_.front();
  return task;
}

std::int32_t Kernel::AddTimer(CpuNumber cpu) {
  const auto number = static_cast<std::int32_t>(workload_timers_.size());
  workload_timers_.push_back({machine_.AddTimer(TimerKind::kWorkload, number), cpu});
  return number;
}

void Kernel::ArmTimer(std::int32_t timer, SimTime at) {
  machine_.events().Arm(workload_timers_[static_cast<std::size_t>(timer)].id, at);
}

void Kernel::DisarmTimer(std::int32_t timer) {
  machine_.events().Disarm(workload_timers_[static_cast<std::size_t>(timer)].id);
}

TaskGroup& Kernel::AddGroup(std::string_view name, TaskGroup& parent, std::int64_t shares) {
  TaskGroup& group = groups_.emplace_back();
  group.index = static_cast<std::int32_t>(groups_.size()) - 1;
  group.name = std::string(name);
  group.parent = &parent;
  group.shares = shares;
  group.cpus = parent.cpus;
  group_cpus_.push_back(group_cpus_[static_cast<std::size_t>(parent.index)]);
  policy_.GroupChanged(group);
  return group;
}

void Kernel::ChangeGroup(TaskGroup& group) {
  policy_.GroupChanged(group);
  UpdateCpusets();
}

// A runnable task leaves its queue while what the policy knows it by changes.
template <class Change>
void Kernel::Requeue(Task& task, Change change) {
  const bool is_runnable = task.state == TaskState::kQueued || task.state == TaskState::kRunning;
  if (!is_runnable) {
    change();
    return;
  }
  const bool was_running = task.state == TaskState::kRunning;
  policy_.Dequeue(task, DequeueReason::kChanged);
  if (task.CountsAsWaiting()) machine_.ChangeWaiting(-1);
  change();
  if (task.CountsAsWaiting()) machine_.ChangeWaiting(1);
  // The first change of an event is made by the CPU of its task, which interrupts those of others.
  const CpuNumber from = task.cpu;
  if (acting_cpus_.empty()) NoteActing(from);
  const CpuNumber by = acting_cpus_.back();
  const Context here{.cpu = by};
  const CpuNumber first = task.FirstAllowed();
  const CpuNumber to = task.MayRunOn(from) ? from : first != kNoCpu ? first : Fallback(task);
  policy_.Enqueue(task, to, EnqueueReason::kChanged, here);
  if (to != from) machine_.NoteMigration(task, from, to);
  // Whatever runs there was chosen before the change. A task that others change leaves its CPU at
  // once: it is queued again, so another CPU might take it. One that changes itself is in the midst
  // of its own event, at the end of which its CPU chooses first.
  if (was_running && stepping_ != &task) {
    Schedule(from);
  } else {
    machine_.RequestReschedule(from, by);
  }
}

Status Kernel::SetAttributes(Task& task, const SchedAttributes& attributes) {
  if (task.attributes == attributes) return {};
  if (Status admitted = policy_.Admit(task, attributes); !admitted) return admitted;
  Requeue(task, [&] { task.attributes = attributes; });
  return {};
}

void Kernel::SetNice(Task& task, std::int32_t nice) {
  SchedAttributes attributes = task.attributes;
  attributes.nice = nice;
  const Status set = SetAttributes(task, attributes);
  SCHEDLAB_CHECK(set.has_value());
}

void Kernel::SetAffinity(Task& task, const CpuSet& cpus) {
  SCHEDLAB_CHECK(cpus.First() != kNoCpu);
  Requeue(task, [&] {
    task.affinity = machine_.Intern(cpus);
    task.allowed = machine_.Intern(AllowedOf(task));
    task.allowed_count = task.allowed.Count();
  });
}

void Kernel::SetGroup(Task& task, TaskGroup& group) {
  Requeue(task, [&] {
    task.group = &group;
    task.allowed = machine_.Intern(AllowedOf(task));
    task.allowed_count = task.allowed.Count();
  });
}

void Kernel::Fork(Task& task, const Context& context) {
  SCHEDLAB_CHECK(task.state == TaskState::kDormant);
  Context here = context;
  here.cpu = machine_.OnlineFor(context.cpu);
  const CpuNumber cpu = Select(task, SelectReason::kFork, here);
  task.ran_on = kNoCpu;
  StartQueued(task, cpu, here);
}

void Kernel::StartOn(Task& task, CpuNumber cpu) {
  SCHEDLAB_CHECK(task.state == TaskState::kDormant);
  task.cpu = cpu;
  const CpuNumber there = task.MayRunOn(cpu) ? cpu : Fallback(task);
  NoteActing(there);
  StartQueued(task, there, {.cpu = there});
}

void Kernel::StartQueued(Task& task, CpuNumber cpu, const Context& context) {
  SetQueued(task);
  task.started_at = now();
  task.cpu_time = SimDuration{0};
  task.run_delay = SimDuration{0};
  machine_.digest().Add(Packed(Mark::kQueue, cpu, task.index));
  policy_.Enqueue(task, cpu, EnqueueReason::kNew, context);
  if (machine_.observer() != nullptr) {
    machine_.observer()->Created(now(), context.cpu, context.task, task);
  }
}

bool Kernel::Wake(Task& task, const Context& where) {
  if (task.state != TaskState::kBlocked) return false;
  Context context = where;
  context.cpu = machine_.OnlineFor(where.cpu);
  if (machine_.events().IsArmed(task.timer)) machine_.events().Disarm(task.timer);
  NoteActing(context.cpu);
  Counters& counters = machine_.counters();
  const CpuNumber previous = task.cpu;
  const CpuNumber cpu = Select(task, SelectReason::kWake, context);
  ++counters.wakeups;
  ++machine_.cpu_counters(context.cpu).wakeups;
  if (cpu == context.cpu) {
    ++counters.wakeups_local;
    ++machine_.cpu_counters(cpu).wakeups_local;
  }
  if (cpu != previous) {
    ++counters.wake_migrations;
    machine_.NoteMigration(task, previous, cpu);
  }
  machine_.Charge(context.cpu, machine_.costs().wakeup_ns);
  // To a CPU of another cache the task is handed over: that CPU takes its own, local lock.
  if (machine_.DistanceBetween(context.cpu, cpu) <= Distance::kSameLlc) {
    machine_.ChargeLock(context.cpu, cpu, 0);
  }
  task.is_woken = true;
  SetQueued(task);
  machine_.digest().Add(Packed(Mark::kQueue, cpu, task.index));
  policy_.Enqueue(task, cpu, EnqueueReason::kWoken, context);
  if (machine_.observer() != nullptr) {
    machine_.observer()->Woken(now(), context.cpu, context.task, task);
  }
  return true;
}

void Kernel::Release(Task& task) {
  if (!task.is_spinning) return;
  task.is_spinning = false;
  machine_.EndStep(task);
}

void Kernel::NoteActing(CpuNumber cpu) {
  if (acting_cpus_.empty() || acting_cpus_.back() != cpu) acting_cpus_.push_back(cpu);
}

void Kernel::Dispatch(TimerId timer) {
  const TimerOwner owner = machine_.OwnerOf(timer);
  machine_.digest().Add(static_cast<std::uint64_t>(Ns(now())));
  machine_.digest().Add(Packed(Mark::kEvent, static_cast<std::int64_t>(owner.kind), owner.index));
  acting_cpus_.clear();
  const std::int64_t migrations_before = machine_.migration_count();
  const CpuNumber cpu = HandleTimer(owner);
  const bool changed_anything = owner.kind != TimerKind::kTick || machine_.NeedsReschedule(cpu) ||
                                machine_.migration_count() != migrations_before;
  event_count_ += changed_anything ? 1 : 0;
  if (cpu != kNoCpu && machine_.NeedsReschedule(cpu)) Schedule(cpu);
  for (const CpuNumber other : acting_cpus_) {
    if (machine_.NeedsReschedule(other)) Schedule(other);
  }
}

// Returns the CPU that executed the handler; kNoCpu for one that has only begun to take an
// interrupt.
CpuNumber Kernel::HandleTimer(const TimerOwner& owner) {
  switch (owner.kind) {
    case TimerKind::kCompletion:
      CompleteStep(owner.index);
      return owner.index;
    case TimerKind::kIpi:
      return HandleIpi(owner.index);
    case TimerKind::kTick:
      HandleTick(owner.index);
      return owner.index;
    case TimerKind::kHousekeeping:
      return HandleHousekeeping(owner.index);
    case TimerKind::kTask:
      return HandleTaskTimer(machine_.tasks()[static_cast<std::size_t>(owner.index)]);
    case TimerKind::kWorkload:
      workload_.TimerFired(*this, owner.index);
      return machine_.OnlineFor(workload_timers_[static_cast<std::size_t>(owner.index)].cpu);
    case TimerKind::kPolicy: {
      const CpuNumber cpu = machine_.OnlineFor(machine_.CpuOfPolicyTimer(owner.index));
      policy_.TimerFired(cpu, owner.index);
      return cpu;
    }
    case TimerKind::kHotplug:
      return HandleHotplug(hotplug_[static_cast<std::size_t>(owner.index)]);
    case TimerKind::kIrq:
      return HandleIrq(owner.index);
  }
  return 0;
}

CpuNumber Kernel::HandleTaskTimer(Task& task) {
  const CpuNumber cpu = machine_.OnlineFor(task.cpu);
  Wake(task, {.cpu = cpu});
  return cpu;
}

void Kernel::HandleTick(CpuNumber cpu) {
  machine_.Charge(cpu, machine_.costs().tick_ns);
  policy_.Tick(cpu);
  ArmTick(cpu);
}

CpuNumber Kernel::HandleIpi(CpuNumber cpu) {
  if (!machine_.ReceiveIpi(cpu)) return kNoCpu;
  const unsigned reasons = machine_.TakeIpi(cpu);
  if ((reasons & static_cast<unsigned>(IpiReason::kWakeups)) != 0) policy_.WakeupsArrived(cpu);
  if ((reasons & static_cast<unsigned>(IpiReason::kPush)) != 0) policy_.PushRequested(cpu);
  if ((reasons & static_cast<unsigned>(IpiReason::kBalance)) != 0) policy_.BalanceRequested(cpu);
  return cpu;
}

CpuNumber Kernel::HandleHousekeeping(CpuNumber cpu) {
  const auto index = static_cast<std::size_t>(cpu);
  if (machine_.IsOnline(cpu)) Wake(*housekeeping_tasks_[index], {.cpu = cpu});
  machine_.events().Arm(housekeeping_timers_[index], now() + housekeeping_period_);
  return machine_.OnlineFor(cpu);
}

void Kernel::CompleteStep(CpuNumber cpu) {
  Task& task = *machine_.current(cpu);
  machine_.FinishStep(cpu);
  task.is_spinning = false;
  BeginStep(cpu, NextStep(task));
}

void Kernel::BeginStep(CpuNumber cpu, const Step& step) {
  Task& task = *machine_.current(cpu);
  task.is_timed = step.kind == Step::Kind::kRunFor || step.kind == Step::Kind::kSpin;
  switch (step.kind) {
    case Step::Kind::kSpin:
      task.is_spinning = true;
      [[fallthrough]];
    case Step::Kind::kRun:
    case Step::Kind::kRunFor:
      machine_.StartStep(cpu, step.duration);
      return;
    case Step::Kind::kYield:
      ++machine_.cpu_counters(cpu).yields;
      policy_.Yield(cpu);
      machine_.StartStep(cpu, SimDuration{0});
      machine_.RequestReschedule(cpu, cpu);
      return;
    case Step::Kind::kExec:
      ExecOn(cpu, task);
      return;
    case Step::Kind::kSleep:
      machine_.events().Arm(task.timer, now() + std::min(step.duration, kEndless));
      BlockCurrent(cpu, TaskState::kBlocked);
      return;
    case Step::Kind::kSleepUntil:
      if (step.at <= now()) {
        machine_.StartStep(cpu, SimDuration{0});
        return;
      }
      machine_.events().Arm(task.timer, step.at);
      BlockCurrent(cpu, TaskState::kBlocked);
      return;
    case Step::Kind::kBlock:
      BlockCurrent(cpu, TaskState::kBlocked);
      return;
    case Step::Kind::kExit:
      BlockCurrent(cpu, TaskState::kDormant);
      return;
  }
}

// The task has no state worth keeping where it is, so this is the time to move it.
void Kernel::ExecOn(CpuNumber cpu, Task& task) {
  machine_.StartStep(cpu, SimDuration{0});
  const CpuNumber to = policy_.SelectCpu(task, SelectReason::kExec, {.cpu = cpu, .task = &task});
  if (to == cpu || !task.MayRunOn(to)) return;
  policy_.Dequeue(task, DequeueReason::kChanged);
  SetQueued(task);
  Leave(cpu, task);
  policy_.Enqueue(task, to, EnqueueReason::kChanged, {.cpu = cpu});
  machine_.NoteMigration(task, cpu, to);
  Schedule(cpu);
}

Step Kernel::NextStep(Task& task) {
  if (task.role != kHousekeepingRole) {
    stepping_ = &task;
    const Step step = workload_.Next(*this, task);
    stepping_ = nullptr;
    return step;
  }
  const bool has_just_woken = task.number == 0;
  task.number = has_just_woken ? 1 : 0;
  return has_just_woken ? Step::Run(kHousekeepingWork) : Step::Block();
}

void Kernel::BlockCurrent(CpuNumber cpu, TaskState state) {
  Task& task = *machine_.current(cpu);
  const bool exits = state == TaskState::kDormant;
  policy_.Dequeue(task, exits ? DequeueReason::kExited : DequeueReason::kBlocked);
  task.state = state;
  Leave(cpu, task);
  Schedule(cpu);
}

// `cpu` executes `task` no longer; its state is set already.
void Kernel::Leave(CpuNumber cpu, Task& task) {
  machine_.StopRunning(cpu);
  const SimDuration slice = now() - task.running_since;
  task.cpu_time += slice;
  machine_.counters().slice.Add(slice);
  ++task.switch_count;
  if (task.state == TaskState::kQueued) ++task.involuntary_switch_count;
  left_ = &task;
}

void Kernel::Schedule(CpuNumber cpu) {
  ++machine_.counters().schedule_count;
  ++machine_.cpu_counters(cpu).schedules;
  Task* const previous = machine_.current(cpu);
  Task* const next = policy_.PickNext(cpu);
  machine_.ClearReschedule(cpu);
  if (previous != nullptr && previous == next) return;
  if (previous != nullptr) {
    SetQueued(*previous);
    Leave(cpu, *previous);
  }
  const Task* const left = std::exchange(left_, nullptr);
  if (next != nullptr) {
    SwitchTo(cpu, *next);
  } else if (!machine_.IsIdle(cpu)) {
    SwitchToIdle(cpu);
  } else {
    return;
  }
  if (machine_.observer() != nullptr) machine_.observer()->Switched(now(), cpu, left, next);
}

void Kernel::SwitchTo(CpuNumber cpu, Task& next) {
  Counters& counters = machine_.counters();
  ++counters.context_switches;
  if (machine_.IsIdle(cpu)) {
    machine_.LeaveIdle(cpu);
    machine_.Charge(cpu, machine_.costs().idle_exit_ns);
    policy_.IdleLeft(cpu);
    ArmTick(cpu);
  }
  machine_.Charge(cpu, machine_.costs().context_switch_ns);
  machine_.ChargeAddressSpace(cpu, next);
  machine_.ChargeLock(cpu, cpu, 0);
  EndWait(cpu, next);
  if (next.ran_on != kNoCpu && next.ran_on != cpu) {
    ++counters.migrations[static_cast<std::size_t>(machine_.DistanceBetween(next.ran_on, cpu))];
  }
  machine_.ChargeCaches(cpu, next);
  next.ran_on = cpu;
  next.running_since = now();
  next.state = TaskState::kRunning;
  machine_.digest().Add(Packed(Mark::kSwitch, cpu, next.index));
  machine_.StartRunning(cpu, next);
}

void Kernel::EndWait(CpuNumber cpu, Task& next) {
  Counters& counters = machine_.counters();
  const SimDuration delay = now() - next.runnable_since;
  counters.run_delay.Add(delay);
  counters.total_run_delay += delay;
  next.run_delay += delay;
  machine_.cpu_counters(cpu).run_delay += delay;
  ++machine_.cpu_counters(cpu).timeslices;
  if (next.is_woken) counters.wakeup_latency.Add(delay);
  next.is_woken = false;
  if (next.CountsAsWaiting()) machine_.ChangeWaiting(-1);
}

void Kernel::SwitchToIdle(CpuNumber cpu) {
  ++machine_.counters().context_switches;
  ++machine_.counters().goidle_count;
  ++machine_.cpu_counters(cpu).idle_picks;
  machine_.Charge(cpu, machine_.costs().context_switch_ns);
  machine_.digest().Add(Packed(Mark::kSwitch, cpu, -1));
  machine_.EnterIdle(cpu);
  machine_.events().Disarm(machine_.tick_timer(cpu));
  policy_.IdleEntered(cpu);
}

void Kernel::SetQueued(Task& task) {
  task.state = TaskState::kQueued;
  task.runnable_since = now();
  if (task.CountsAsWaiting()) machine_.ChangeWaiting(1);
}

// CPUs tick at unrelated phases: simulated CPUs that tick at one instant would always act in the
// same order, and the first of them would take every kick of an idle CPU.
void Kernel::ArmTick(CpuNumber cpu) {
  const SimDuration period = machine_.tick_period();
  SimTime next =
      SimTime(period * machine_.tick_count()) + tick_phases_[static_cast<std::size_t>(cpu)];
  if (next <= now()) next += period;
  machine_.events().Arm(machine_.tick_timer(cpu), next);
}

void Kernel::AddHousekeeping(const Topology& topology) {
  housekeeping_period_ = SimDuration(topology.housekeeping_period_ns);
  if (housekeeping_period_ == SimDuration{0}) return;
  RandomStream phases(seed_, "housekeeping");
  for (CpuNumber cpu = 0; cpu < cpu_count(); ++cpu) {
    Task& task = AddTaskOn(fmt::format("housekeeping/{}", cpu), {cpu}, kHousekeepingRole, 0);
    task.session = kNoSession;
    task.state = TaskState::kBlocked;
    housekeeping_tasks_.push_back(&task);
    const TimerId timer = machine_.AddTimer(TimerKind::kHousekeeping, cpu);
    housekeeping_timers_.push_back(timer);
    machine_.events().Arm(timer,
                          SimTime(SimDuration(phases.Below(topology.housekeeping_period_ns))));
  }
}

// Somebody is left who waits, and nobody and nothing is left who could end that.
bool Kernel::IsDeadlocked() {
  bool waits = false;
  for (const Task& task : machine_.tasks()) {
    if (task.role == kHousekeepingRole || task.state == TaskState::kDormant) continue;
    if (task.state != TaskState::kBlocked) return false;
    if (machine_.events().IsArmed(task.timer)) return false;
    waits = true;
  }
  for (const WorkloadTimer& timer : workload_timers_) {
    if (machine_.events().IsArmed(timer.id)) return false;
  }
  return waits;
}

}  // namespace schedlab::sim
