#include "sim/reference/shared_queue.h"

#include <tuple>

#include "core/check.h"

namespace schedlab::sim::reference {
namespace {

// Whose lock is the lock of the shared queue.
constexpr CpuNumber kLockOwner = 0;

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

void SharedQueue::Enqueue(Task& task, CpuNumber cpu, EnqueueReason /*reason*/,
                          const Context& context) {
  task.cpu = cpu;
  machine_.ChargeLock(context.cpu, kLockOwner, 0);
  waiting_.PushBack(task);
  if (IsFree(cpu)) {
    machine_.RequestReschedule(cpu, context.cpu);
  } else {
    CallFreeCpus(context.cpu);
  }
}

void SharedQueue::Dequeue(Task& task, DequeueReason /*reason*/) {
  machine_.ChargeLock(task.cpu, kLockOwner, 0);
  CpuState& state = At(task.cpu);
  if (state.current == &task) {
    state.current = nullptr;
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
  const bool gives_away = state.gives_away;
  state = {.timer = state.timer};
  // A task that goes elsewhere must not be taken back.
  if (previous != nullptr && !gives_away) waiting_.PushBack(*previous);
  state.current = Take(cpu);
  if (gives_away) waiting_.PushBack(*previous);
  if (state.current != nullptr) StartTurn(cpu);
  if (state.current == nullptr && !gives_away && rules_.seeks_speed) AskForFasterUse(cpu);
  CallFreeCpus(cpu);
  return state.current;
}

bool SharedQueue::HasFasterUse(const Task& task) const {
  const CpuNumber free = BestFreeCpu(task);
  return free != kNoCpu && SpeedOn(free) > SpeedOn(task.cpu);
}

void SharedQueue::Yield(CpuNumber cpu) { At(cpu).turn_is_over = true; }

void SharedQueue::TimerFired(CpuNumber cpu, std::int32_t /*timer*/) {
  CpuState& state = At(cpu);
  if (state.current == nullptr) return;
  if (waiting_.FirstFor(cpu) == nullptr) {
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
  std::int32_t count = 0;
  for (const Task* task = waiting_.First(); task != nullptr; task = waiting_.After(*task)) {
    ++count;
    SCHEDLAB_CHECK(task->state == TaskState::kQueued);
    SCHEDLAB_CHECK(BestFreeCpu(*task) == kNoCpu);
  }
  SCHEDLAB_CHECK(count == waiting_.size());
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
  for (const Task* task = waiting_.First(); task != nullptr; task = waiting_.After(*task)) {
    const CpuNumber free = BestFreeCpu(*task);
    if (free != kNoCpu) machine_.RequestReschedule(free, by);
  }
}

Task* SharedQueue::Take(CpuNumber cpu) {
  Task* const task = waiting_.FirstFor(cpu);
  if (task == nullptr) return nullptr;
  waiting_.Remove(*task);
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
