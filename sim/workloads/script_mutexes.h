#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel.h"

namespace schedlab::sim {

// Mutexes that are handed over in the order of arrival. With inheritance the most urgent waiter
// comes first, and whoever holds a mutex is at least as urgent as everybody who waits for it, over
// any chain of mutexes. Tasks are known by their numbers, which are dense from 0.
class ScriptMutexes {
 public:
  ScriptMutexes(std::int32_t mutex_count, bool inherits_priority);

  // Before a task does anything: how many there are.
  void SetTaskCount(std::size_t count) { owners_.resize(count); }
  // What the task asks for by itself, from now on.
  void SetAttributes(Kernel& kernel, Task& task, const SchedAttributes& attributes);

  // Returns false where the mutex is taken: the task waits for it and has to block; it holds the
  // mutex when it runs again. Requires: the task does not hold it.
  bool Lock(Kernel& kernel, Task& task, std::int32_t mutex);
  // Requires: the task holds it.
  void Unlock(Kernel& kernel, Task& task, std::int32_t mutex);

  // Null: nobody.
  const Task* HolderOf(std::int32_t mutex) const {
    return mutexes_[static_cast<std::size_t>(mutex)].holder;
  }

  // Changes of attributes that the policy did not admit.
  std::int64_t refused_count() const { return refused_count_; }

 private:
  struct Mutex {
    Task* holder = nullptr;
    std::vector<Task*> waiters;  // in the order of arrival
  };
  // A task, as one that locks.
  struct Owner {
    SchedAttributes own;
    std::vector<std::int32_t> held;
    std::int32_t awaited = -1;  // -1: none
  };

  Mutex& At(std::int32_t mutex) { return mutexes_[static_cast<std::size_t>(mutex)]; }
  Owner& OwnerOf(const Task& task) { return owners_[static_cast<std::size_t>(task.number)]; }
  std::size_t NextWaiter(const Mutex& mutex) const;
  // Makes `holder`, and whom it waits for in turn, as urgent as `waiter`.
  void Lend(Kernel& kernel, const Task& waiter, Task* holder);
  // Takes back what nobody lends to the task any more.
  void Settle(Kernel& kernel, Task& task);

  const bool inherits_priority_;
  std::vector<Mutex> mutexes_;
  std::vector<Owner> owners_;  // by the number of the task
  std::int64_t refused_count_ = 0;
};

}  // namespace schedlab::sim
