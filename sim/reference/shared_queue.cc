#include "sim/reference/shared_queue.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"

namespace schedlab::sim::reference {
namespace {

// Whose lock is the lock of the shared queue.
constexpr CpuNumber kLockOwner = 0;
// A sleeper comes back with at most so much to catch up.
constexpr std::int64_t kSleeperCreditNs = 4'000'000;
// Who yields without having done anything still falls back.
constexpr std::int64_t kYieldChargeNs = 1'000;

}  // namespace

SharedQueue::SharedQueue(Machine& machine, const Rules& rules)
    : machine_(machine), rules_(rules), cpus_(static_cast<std::size_t>(machine.cpu_count())) {
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    At(cpu).timer = machine.AddPolicyTimer(cpu);
  }
}

CpuNumber SharedQueue::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  if (reason == SelectReason::kExec) return context.cpu;
  const CpuNumber free = BestFreeCpu(task);
  if (free != kNoCpu) return free;
  return task.MayRunOn(task.cpu) ? task.cpu : task.allowed.First();
}

void SharedQueue::Enqueue(Task& task, CpuNumber cpu, EnqueueReason reason, const Context& context) {
  task.cpu = cpu;
  machine_.ChargeLock(context.cpu, kLockOwner, 0);
  Place(task, reason);
  Wait(task);
  if (IsFree(cpu)) {
    machine_.RequestReschedule(cpu, context.cpu);
    return;
  }
  PreemptFor(task, context.cpu);
  CallFreeCpus(context.cpu);
}

void SharedQueue::Wait(Task& task) {
  waiting_.Add(task, rules_.order == Order::kLeastServed ? ServiceOf(task) : 0);
}

std::int64_t& SharedQueue::ServiceOf(const Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  if (service_.size() <= index) service_.resize(index + 1);
  return service_[index];
}

// What the running task of `cpu` has had, the time since it was charged last among it.
std::int64_t SharedQueue::ServedOn(CpuNumber cpu) {
  Charge(At(cpu));
  return ServiceOf(*At(cpu).current);
}

void SharedQueue::Charge(CpuState& state) {
  ServiceOf(*state.current) += (machine_.now() - state.since).count();
  state.since = machine_.now();
}

void SharedQueue::Place(const Task& task, EnqueueReason reason) {
  std::int64_t& service = ServiceOf(task);
  switch (reason) {
    case EnqueueReason::kWoken:
      service = std::max(service, least_service_ - kSleeperCreditNs);
      return;
    case EnqueueReason::kNew:
      service = std::max(service, least_service_);
      return;
    case EnqueueReason::kChanged:
      return;
  }
}

// Asks the CPU whose task has had the most; one that was asked before is to serve somebody else.
void SharedQueue::PreemptFor(const Task& task, CpuNumber by) {
  if (rules_.order != Order::kLeastServed || BestFreeCpu(task) != kNoCpu) return;
  CpuNumber victim = kNoCpu;
  for (CpuNumber cpu = task.allowed.First(); cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (At(cpu).current == nullptr || At(cpu).turn_is_over) continue;
    if (victim == kNoCpu || ServedOn(cpu) > ServedOn(victim)) victim = cpu;
  }
  if (victim == kNoCpu || ServedOn(victim) <= ServiceOf(task)) return;
  At(victim).turn_is_over = true;
  machine_.RequestReschedule(victim, by);
}

void SharedQueue::Dequeue(Task& task, DequeueReason /*reason*/) {
  machine_.ChargeLock(task.cpu, kLockOwner, 0);
  CpuState& state = At(task.cpu);
  if (state.current == &task) {
    Charge(state);
    state.current = nullptr;
    state.gives_away = false;
  } else {
    waiting_.Remove(task);
  }
}

Task* SharedQueue::PickNext(CpuNumber cpu) {
  CpuState& state = At(cpu);
  Task* const previous = state.current;
  if (previous != nullptr && state.gives_away) state.gives_away = HasFasterUse(*previous);
  if (previous != nullptr && !state.turn_is_over && !state.gives_away) return previous;
  machine_.ChargeLock(cpu, kLockOwner, 0);
  if (previous != nullptr) Charge(state);
  const bool gives_away = state.gives_away;
  state = {.since = machine_.now(), .timer = state.timer};
  // A task that goes elsewhere must not be taken back.
  if (previous != nullptr && !gives_away) Wait(*previous);
  state.current = Take(cpu);
  if (gives_away) Wait(*previous);
  if (state.current != nullptr) StartTurn(cpu);
  if (state.current == nullptr && !gives_away && rules_.seeks_speed) AskForFasterUse(cpu);
  CallFreeCpus(cpu);
  return state.current;
}

bool SharedQueue::HasFasterUse(const Task& task) const {
  const CpuNumber free = BestFreeCpu(task);
  return free != kNoCpu && SpeedOn(free) > SpeedOn(task.cpu);
}

void SharedQueue::Yield(CpuNumber cpu) {
  ServiceOf(*At(cpu).current) += kYieldChargeNs;
  At(cpu).turn_is_over = true;
}

void SharedQueue::TimerFired(CpuNumber cpu, std::int32_t /*timer*/) {
  CpuState& state = At(cpu);
  if (state.current == nullptr) return;
  const OrderedTasks::Entry* const next = waiting_.FirstFor(cpu);
  const bool is_last =
      next != nullptr && (rules_.order == Order::kArrival || next->rank < ServedOn(cpu));
  if (!is_last) {
    StartTurn(cpu);
    return;
  }
  state.turn_is_over = true;
  machine_.RequestReschedule(cpu, cpu);
}

std::int32_t SharedQueue::QueuedCount(CpuNumber cpu) const {
  const bool runs = cpus_[static_cast<std::size_t>(cpu)].current != nullptr;
  return (runs ? 1 : 0) + (cpu == 0 ? waiting_.size() : 0);
}

void SharedQueue::CheckInvariants() const {
  for (const OrderedTasks::Entry& entry : waiting_) {
    SCHEDLAB_CHECK(entry.task->state == TaskState::kQueued);
    SCHEDLAB_CHECK(BestFreeCpu(*entry.task) == kNoCpu);
  }
}

// What a task would get of `cpu` now, in 1024ths of a whole core of the fastest kind.
std::int64_t SharedQueue::SpeedOn(CpuNumber cpu) const {
  const std::vector<Cpu>& cpus = machine_.topology_cpus();
  const std::int64_t capacity = cpus[static_cast<std::size_t>(cpu)].capacity;
  const bool is_shared = machine_.HasBusySibling(cpu);
  return is_shared ? capacity * (1000 - machine_.costs().smt_slowdown_permille) / 1000 : capacity;
}

// The fastest, then the nearest to where the task was, then the first.
CpuNumber SharedQueue::BestFreeCpu(const Task& task) const {
  CpuNumber best = kNoCpu;
  std::tuple<std::int64_t, Distance> best_key;
  for (CpuNumber cpu = task.allowed.First(); cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (!IsFree(cpu)) continue;
    const std::tuple key{-SpeedOn(cpu), machine_.DistanceBetween(task.cpu, cpu)};
    if (best != kNoCpu && key >= best_key) continue;
    best = cpu;
    best_key = key;
  }
  return best;
}

void SharedQueue::CallFreeCpus(CpuNumber by) {
  if (!machine_.AnyIdle()) return;
  for (const OrderedTasks::Entry& entry : waiting_) {
    const CpuNumber free = BestFreeCpu(*entry.task);
    if (free != kNoCpu) machine_.RequestReschedule(free, by);
  }
}

Task* SharedQueue::Take(CpuNumber cpu) {
  const OrderedTasks::Entry* const first = waiting_.FirstFor(cpu);
  if (first == nullptr) return nullptr;
  Task* const task = first->task;
  waiting_.Remove(*task);
  least_service_ = std::max(least_service_, ServiceOf(*task));
  if (task->cpu != cpu) machine_.NoteMigration(*task, task->cpu, cpu);
  task->cpu = cpu;
  return task;
}

// `cpu` has nothing to do: the task that is served worst and may come here is asked to.
void SharedQueue::AskForFasterUse(CpuNumber cpu) {
  CpuNumber slowest = kNoCpu;
  for (CpuNumber other = 0; other < machine_.cpu_count(); ++other) {
    const CpuState& state = At(other);
    if (other == cpu || state.current == nullptr || state.gives_away) continue;
    if (!state.current->MayRunOn(cpu) || SpeedOn(other) >= SpeedOn(cpu)) continue;
    if (slowest == kNoCpu || SpeedOn(other) < SpeedOn(slowest)) slowest = other;
  }
  if (slowest == kNoCpu) return;
  At(slowest).gives_away = true;
  machine_.RequestReschedule(slowest, cpu);
}

void SharedQueue::StartTurn(CpuNumber cpu) {
  if (rules_.quantum == SimDuration{0}) return;
  machine_.ArmPolicyTimer(At(cpu).timer, machine_.now() + rules_.quantum);
}

}  // namespace schedlab::sim::reference
