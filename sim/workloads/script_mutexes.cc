#include "sim/workloads/script_mutexes.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace schedlab::sim {
namespace {

constexpr std::int32_t kHighestRtPriority = 99;

// Larger is more urgent, whatever the policy.
std::pair<std::int32_t, std::int32_t> Urgency(const SchedAttributes& attributes) {
  switch (attributes.policy) {
    case SchedPolicy::kDeadline:
      return {3, 0};
    case SchedPolicy::kFifo:
    case SchedPolicy::kRoundRobin:
      return {2, attributes.rt_priority};
    case SchedPolicy::kNormal:
    case SchedPolicy::kBatch:
      return {1, -attributes.nice};
    case SchedPolicy::kIdle:
      return {0, 0};
  }
  return {0, 0};
}

// A deadline cannot be lent without its budget: the holder runs before everything else instead.
SchedAttributes Lent(const SchedAttributes& waiter) {
  if (waiter.policy != SchedPolicy::kDeadline) return waiter;
  SchedAttributes lent = waiter;
  lent.policy = SchedPolicy::kFifo;
  lent.rt_priority = kHighestRtPriority;
  return lent;
}

}  // namespace

ScriptMutexes::ScriptMutexes(std::int32_t mutex_count, bool inherits_priority)
    : inherits_priority_(inherits_priority), mutexes_(static_cast<std::size_t>(mutex_count)) {}

void ScriptMutexes::SetAttributes(Kernel& kernel, Task& task, const SchedAttributes& attributes) {
  OwnerOf(task).own = attributes;
  Settle(kernel, task);
}

bool ScriptMutexes::Lock(Kernel& kernel, Task& task, std::int32_t mutex) {
  Mutex& locked = At(mutex);
  SCHEDLAB_CHECK(locked.holder != &task);
  if (locked.holder == nullptr) {
    locked.holder = &task;
    OwnerOf(task).held.push_back(mutex);
    return true;
  }
  locked.waiters.push_back(&task);
  OwnerOf(task).awaited = mutex;
  if (inherits_priority_) Lend(kernel, task, locked.holder);
  return false;
}

void ScriptMutexes::Unlock(Kernel& kernel, Task& task, std::int32_t mutex) {
  Mutex& unlocked = At(mutex);
  SCHEDLAB_CHECK(unlocked.holder == &task);
  std::erase(OwnerOf(task).held, mutex);
  unlocked.holder = nullptr;
  if (!unlocked.waiters.empty()) {
    const auto at = unlocked.waiters.begin() + static_cast<std::ptrdiff_t>(NextWaiter(unlocked));
    Task& next = **at;
    unlocked.waiters.erase(at);
    unlocked.holder = &next;
    OwnerOf(next).awaited = -1;
    OwnerOf(next).held.push_back(mutex);
    Settle(kernel, next);
    kernel.Wake(next, {.cpu = task.cpu, .task = &task});
  }
  Settle(kernel, task);
}

std::size_t ScriptMutexes::NextWaiter(const Mutex& mutex) const {
  if (!inherits_priority_) return 0;
  const auto most = std::max_element(
      mutex.waiters.begin(), mutex.waiters.end(),
      [](const Task* a, const Task* b) { return Urgency(a->attributes) < Urgency(b->attributes); });
  return static_cast<std::size_t>(most - mutex.waiters.begin());
}

// Ends in a circle of waiters too: nobody becomes more urgent twice.
void ScriptMutexes::Lend(Kernel& kernel, const Task& waiter, Task* holder) {
  const SchedAttributes lent = Lent(waiter.attributes);
  while (holder != nullptr && Urgency(holder->attributes) < Urgency(lent)) {
    SCHEDLAB_CHECK(kernel.SetAttributes(*holder, lent).has_value());
    const std::int32_t awaited = OwnerOf(*holder).awaited;
    holder = awaited < 0 ? nullptr : At(awaited).holder;
  }
}

void ScriptMutexes::Settle(Kernel& kernel, Task& task) {
  SchedAttributes settled = OwnerOf(task).own;
  if (inherits_priority_) {
    for (const std::int32_t mutex : OwnerOf(task).held) {
      for (const Task* waiter : At(mutex).waiters) {
        const SchedAttributes lent = Lent(waiter->attributes);
        if (Urgency(settled) < Urgency(lent)) settled = lent;
      }
    }
  }
  // The task stays what it was where the policy cannot promise what it asks for.
  if (!kernel.SetAttributes(task, settled)) {
    ++refused_count_;
    OwnerOf(task).own = task.attributes;
  }
}

}  // namespace schedlab::sim
