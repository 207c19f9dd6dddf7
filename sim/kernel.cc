#include "sim/kernel.h"

#include <fmt/format.h>

#include <utility>

#include "sim/fair/tunables.h"
#include "sim/random_stream.h"

namespace schedlab::sim {
namespace {

constexpr std::int64_t kEventsBetweenStopChecks = 4096;
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
               std::uint64_t seed, Observer* observer)
    : machine_(machine), policy_(policy), workload_(workload), seed_(seed), observer_(observer) {
  RandomStream phases(seed, "tick phases");
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    tick_phases_.push_back(SimDuration(phases.Below(Ns(machine_.tick_period()))));
    Own(machine_.completion_timer(cpu), TimerKind::kCompletion, cpu);
    Own(machine_.ipi_timer(cpu), TimerKind::kIpi, cpu);
    Own(machine_.tick_timer(cpu), TimerKind::kTick, cpu);
    machine_.EnterIdle(cpu);
    policy_.IdleEntered(cpu);
  }
  AddHousekeeping(topology);
}

Status Kernel::Run(SimTime end, std::stop_token stop) {
  stop_ = std::move(stop);
  workload_.Start(*this);
  for (CpuNumber cpu = 0; cpu < cpu_count(); ++cpu) {
    if (machine_.NeedsReschedule(cpu)) Schedule(cpu);
  }
  EventQueue& events = machine_.events();
  while (!has_ended_ && events.NextAt() <= end) {
    const TimerId timer = events.Fire();
    Dispatch(timer);
    events.Settle();
    if (++event_count_ % kEventsBetweenStopChecks == 0 && stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, fmt::format("stopped after {} events", event_count_));
    }
  }
  if (!has_ended_) events.AdvanceTo(end);
  machine_.Finish();
  return {};
}

Task& Kernel::AddTask(std::string_view name, std::int32_t role, std::int32_t number) {
  Task& task = machine_.AddTask(name, machine_.AllCpus());
  task.role = role;
  task.number = number;
  Own(task.timer, TimerKind::kTask, task.index);
  return task;
}

Task& Kernel::AddTaskOn(std::string_view name, const std::vector<CpuNumber>& cpus,
                        std::int32_t role, std::int32_t number) {
  Task& task = machine_.AddTask(name, CpuSet::Of(cpu_count(), cpus));
  task.cpu = cpus.front();
  task.role = role;
  task.number = number;
  Own(task.timer, TimerKind::kTask, task.index);
  return task;
}

void Kernel::SetNice(Task& task, std::int32_t nice) { task.fair.weight = fair::WeightOf(nice); }

std::int32_t Kernel::AddTimer(CpuNumber cpu) {
  const TimerId id = machine_.events().AddTimer();
  const auto number = static_cast<std::int32_t>(workload_timers_.size());
  workload_timers_.push_back({id, cpu});
  Own(id, TimerKind::kWorkload, number);
  return number;
}

void Kernel::ArmTimer(std::int32_t timer, SimTime at) {
  machine_.events().Arm(workload_timers_[static_cast<std::size_t>(timer)].id, at);
}

void Kernel::Fork(Task& task, const Context& context) {
  SCHEDLAB_CHECK(task.state == TaskState::kDormant);
  const CpuNumber cpu = policy_.SelectCpuForNew(task, context);
  task.ran_on = kNoCpu;
  SetQueued(task);
  machine_.digest().Add(Packed(Mark::kQueue, cpu, task.index));
  policy_.EnqueueNew(task, cpu, context);
}

void Kernel::StartOn(Task& task, CpuNumber cpu) {
  SCHEDLAB_CHECK(task.state == TaskState::kDormant && task.MayRunOn(cpu));
  waking_cpu_ = cpu;
  SetQueued(task);
  machine_.digest().Add(Packed(Mark::kQueue, cpu, task.index));
  policy_.EnqueueNew(task, cpu, {.cpu = cpu});
}

bool Kernel::Wake(Task& task, const Context& context) {
  if (task.state != TaskState::kBlocked) return false;
  if (machine_.events().IsArmed(task.timer)) machine_.events().Disarm(task.timer);
  waking_cpu_ = context.cpu;
  Counters& counters = machine_.counters();
  const CpuNumber previous = task.cpu;
  const CpuNumber cpu = policy_.SelectCpuForWakeup(task, context);
  ++counters.wakeups;
  if (cpu == context.cpu) ++counters.wakeups_local;
  if (cpu != previous) ++counters.wake_migrations;
  machine_.Charge(context.cpu, machine_.costs().wakeup_ns);
  // To a CPU of another cache the task is handed over: that CPU takes its own, local lock.
  if (machine_.DistanceBetween(context.cpu, cpu) <= Distance::kSameLlc) {
    machine_.ChargeLock(context.cpu, cpu, 0);
  }
  task.is_woken = true;
  SetQueued(task);
  machine_.digest().Add(Packed(Mark::kQueue, cpu, task.index));
  policy_.EnqueueWoken(task, cpu, context);
  return true;
}

void Kernel::Dispatch(TimerId timer) {
  const TimerOwner owner = owners_[static_cast<std::size_t>(timer)];
  machine_.digest().Add(static_cast<std::uint64_t>(Ns(now())));
  machine_.digest().Add(Packed(Mark::kEvent, static_cast<std::int64_t>(owner.kind), owner.index));
  waking_cpu_ = kNoCpu;
  const CpuNumber cpu = HandleTimer(owner);
  if (machine_.NeedsReschedule(cpu)) Schedule(cpu);
  const bool acted_elsewhere = waking_cpu_ != kNoCpu && waking_cpu_ != cpu;
  if (acted_elsewhere && machine_.NeedsReschedule(waking_cpu_)) Schedule(waking_cpu_);
}

void Kernel::Own(TimerId timer, TimerKind kind, std::int32_t index) {
  const auto at = static_cast<std::size_t>(timer);
  if (owners_.size() <= at) owners_.resize(at + 1);
  owners_[at] = {kind, index};
}

// Returns the CPU that executed the handler.
CpuNumber Kernel::HandleTimer(const TimerOwner& owner) {
  switch (owner.kind) {
    case TimerKind::kCompletion:
      CompleteStep(owner.index);
      return owner.index;
    case TimerKind::kIpi:
      HandleIpi(owner.index);
      return owner.index;
    case TimerKind::kTick:
      HandleTick(owner.index);
      return owner.index;
    case TimerKind::kHousekeeping:
      HandleHousekeeping(owner.index);
      return owner.index;
    case TimerKind::kTask:
      return HandleTaskTimer(machine_.tasks()[static_cast<std::size_t>(owner.index)]);
    case TimerKind::kWorkload:
      workload_.TimerFired(*this, owner.index);
      return workload_timers_[static_cast<std::size_t>(owner.index)].cpu;
  }
  return 0;
}

CpuNumber Kernel::HandleTaskTimer(Task& task) {
  const CpuNumber cpu = task.cpu;
  Wake(task, {.cpu = cpu});
  return cpu;
}

void Kernel::HandleTick(CpuNumber cpu) {
  machine_.Charge(cpu, machine_.costs().tick_ns);
  policy_.Tick(cpu);
  ArmTick(cpu);
}

void Kernel::HandleIpi(CpuNumber cpu) {
  const unsigned reasons = machine_.TakeIpi(cpu);
  if ((reasons & static_cast<unsigned>(IpiReason::kPush)) != 0) policy_.PushRequested(cpu);
  if ((reasons & static_cast<unsigned>(IpiReason::kBalance)) != 0) policy_.BalanceRequested(cpu);
}

void Kernel::HandleHousekeeping(CpuNumber cpu) {
  const auto index = static_cast<std::size_t>(cpu);
  Wake(*housekeeping_tasks_[index], {.cpu = cpu});
  machine_.events().Arm(housekeeping_timers_[index], now() + housekeeping_period_);
}

void Kernel::CompleteStep(CpuNumber cpu) {
  Task& task = *machine_.current(cpu);
  machine_.FinishStep(cpu);
  const Step step = NextStep(task);
  switch (step.kind) {
    case Step::Kind::kRun:
      machine_.StartStep(cpu, step.duration);
      return;
    case Step::Kind::kSleep:
      machine_.events().Arm(task.timer, now() + step.duration);
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

Step Kernel::NextStep(Task& task) {
  if (task.role != kHousekeepingRole) return workload_.Next(*this, task);
  const bool has_just_woken = task.number == 0;
  task.number = has_just_woken ? 1 : 0;
  return has_just_woken ? Step::Run(kHousekeepingWork) : Step::Block();
}

void Kernel::BlockCurrent(CpuNumber cpu, TaskState state) {
  Task& task = *machine_.current(cpu);
  policy_.DequeueCurrent(cpu);
  task.state = state;
  machine_.StopRunning(cpu);
  Schedule(cpu);
}

void Kernel::Schedule(CpuNumber cpu) {
  ++machine_.counters().schedule_count;
  Task* const previous = machine_.current(cpu);
  Task* const next = policy_.PickNext(cpu);
  machine_.ClearReschedule(cpu);
  if (previous != nullptr && previous == next) return;
  if (previous != nullptr) {
    machine_.StopRunning(cpu);
    SetQueued(*previous);
  }
  if (next != nullptr) {
    SwitchTo(cpu, *next);
  } else if (!machine_.IsIdle(cpu)) {
    SwitchToIdle(cpu);
  }
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
  machine_.ChargeLock(cpu, cpu, 0);
  const SimDuration delay = now() - next.runnable_since;
  counters.run_delay.Add(delay);
  counters.total_run_delay += delay;
  if (next.is_woken) counters.wakeup_latency.Add(delay);
  next.is_woken = false;
  if (!next.IsPinned()) machine_.ChangeWaiting(-1);
  if (next.ran_on != kNoCpu && next.ran_on != cpu) {
    ++counters.migrations[static_cast<std::size_t>(machine_.DistanceBetween(next.ran_on, cpu))];
    machine_.ChargeRefill(cpu, next);
  }
  next.ran_on = cpu;
  next.state = TaskState::kRunning;
  machine_.digest().Add(Packed(Mark::kSwitch, cpu, next.index));
  machine_.StartRunning(cpu, next);
  if (observer_ != nullptr) observer_->Switched(now(), cpu, &next);
}

void Kernel::SwitchToIdle(CpuNumber cpu) {
  ++machine_.counters().context_switches;
  ++machine_.counters().goidle_count;
  machine_.Charge(cpu, machine_.costs().context_switch_ns);
  machine_.digest().Add(Packed(Mark::kSwitch, cpu, -1));
  machine_.EnterIdle(cpu);
  machine_.events().Disarm(machine_.tick_timer(cpu));
  policy_.IdleEntered(cpu);
  if (observer_ != nullptr) observer_->Switched(now(), cpu, nullptr);
}

void Kernel::SetQueued(Task& task) {
  task.state = TaskState::kQueued;
  task.runnable_since = now();
  if (!task.IsPinned()) machine_.ChangeWaiting(1);
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
    task.state = TaskState::kBlocked;
    housekeeping_tasks_.push_back(&task);
    const TimerId timer = machine_.events().AddTimer();
    Own(timer, TimerKind::kHousekeeping, cpu);
    housekeeping_timers_.push_back(timer);
    machine_.events().Arm(timer,
                          SimTime(SimDuration(phases.Below(topology.housekeeping_period_ns))));
  }
}

}  // namespace schedlab::sim
