#include "sim/reference/local_queues.h"

#include "core/check.h"

namespace schedlab::sim::reference {

LocalQueues::LocalQueues(Machine& machine, const Rules& rules)
    : machine_(machine), rules_(rules), queues_(static_cast<std::size_t>(machine.cpu_count())) {}

CpuNumber LocalQueues::SelectCpu(Task& task, SelectReason reason, const Context& context) {
  switch (reason) {
    case SelectReason::kWake:
      return task.MayRunOn(task.cpu) ? task.cpu : ShortestQueue(task);
    case SelectReason::kFork:
      if (rules_.steals && task.MayRunOn(context.cpu)) return context.cpu;
      return ShortestQueue(task);
    case SelectReason::kExec:
      return context.cpu;
  }
  return task.cpu;
}

void LocalQueues::Enqueue(Task& task, CpuNumber cpu, EnqueueReason /*reason*/,
                          const Context& context) {
  task.cpu = cpu;
  machine_.ChargeLock(context.cpu, cpu, 0);
  Queue& queue = At(cpu);
  queue.waiting.PushBack(task);
  if (queue.current == nullptr) machine_.RequestReschedule(cpu, context.cpu);
  const bool has_to_wait = queue.current != nullptr || queue.waiting.size() > 1;
  if (rules_.steals && has_to_wait) CallThief(task, context.cpu);
}

void LocalQueues::Dequeue(Task& task, DequeueReason /*reason*/) {
  Queue& queue = At(task.cpu);
  if (queue.current == &task) {
    queue.current = nullptr;
  } else {
    queue.waiting.Remove(task);
  }
}

Task* LocalQueues::PickNext(CpuNumber cpu) {
  Queue& queue = At(cpu);
  if (queue.current != nullptr && !queue.turn_is_over) return queue.current;
  if (queue.current != nullptr) queue.waiting.PushBack(*queue.current);
  queue.turn_is_over = false;
  queue.current = queue.waiting.First();
  if (queue.current != nullptr) {
    queue.waiting.Remove(*queue.current);
  } else if (rules_.steals) {
    queue.current = Steal(cpu);
  }
  return queue.current;
}

void LocalQueues::Yield(CpuNumber cpu) { At(cpu).turn_is_over = true; }

// Who is called to steal is a CPU that was idle when the task came.
void LocalQueues::Online(CpuNumber cpu) {
  if (rules_.steals) machine_.RequestReschedule(cpu, cpu);
}

std::int32_t LocalQueues::QueuedCount(CpuNumber cpu) const {
  const Queue& queue = At(cpu);
  return queue.waiting.size() + (queue.current != nullptr ? 1 : 0);
}

void LocalQueues::CheckInvariants() const {
  for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) {
    const TaskQueue& waiting = At(cpu).waiting;
    std::int32_t count = 0;
    for (const Task* task = waiting.First(); task != nullptr; task = waiting.After(*task)) {
      ++count;
      SCHEDLAB_CHECK(task->cpu == cpu && task->MayRunOn(cpu));
    }
    SCHEDLAB_CHECK(count == waiting.size());
  }
}

CpuNumber LocalQueues::ShortestQueue(const Task& task) const {
  CpuNumber shortest = task.allowed.First();
  for (CpuNumber cpu = shortest; cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (QueuedCount(cpu) < QueuedCount(shortest)) shortest = cpu;
  }
  return shortest;
}

// The nearest CPU, or that with the longest queue, that has a task for `cpu`; each look is paid.
CpuNumber LocalQueues::ChooseVictim(CpuNumber cpu) {
  CpuNumber victim = kNoCpu;
  for (CpuNumber other = 0; other < machine_.cpu_count(); ++other) {
    if (other == cpu) continue;
    machine_.ChargeProbe(cpu, other);
    if (At(other).waiting.FirstFor(cpu) == nullptr) continue;
    if (victim == kNoCpu) {
      victim = other;
      continue;
    }
    const bool is_better =
        rules_.victim == Victim::kNearest
            ? machine_.DistanceBetween(cpu, other) < machine_.DistanceBetween(cpu, victim)
            : At(other).waiting.size() > At(victim).waiting.size();
    if (is_better) victim = other;
  }
  return victim;
}

Task* LocalQueues::Steal(CpuNumber cpu) {
  const CpuNumber victim = ChooseVictim(cpu);
  if (victim == kNoCpu) return nullptr;
  Task* const task = At(victim).waiting.FirstFor(cpu);
  machine_.ChargeLock(cpu, victim, machine_.costs().move_task_ns);
  At(victim).waiting.Remove(*task);
  machine_.NoteMigration(*task, victim, cpu);
  task->cpu = cpu;
  return task;
}

// An idle CPU does not look for work by itself: one that may run the task is woken for it.
void LocalQueues::CallThief(const Task& task, CpuNumber by) {
  if (!machine_.AnyIdle()) return;
  CpuNumber thief = kNoCpu;
  for (CpuNumber cpu = task.allowed.First(); cpu != kNoCpu; cpu = task.allowed.NextFrom(cpu + 1)) {
    if (!machine_.IsIdle(cpu) || machine_.NeedsReschedule(cpu)) continue;
    const bool is_nearer = thief == kNoCpu || machine_.DistanceBetween(task.cpu, cpu) <
                                                  machine_.DistanceBetween(task.cpu, thief);
    if (is_nearer) thief = cpu;
  }
  if (thief != kNoCpu) machine_.RequestReschedule(thief, by);
}

}  // namespace schedlab::sim::reference
