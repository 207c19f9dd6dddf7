#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/task.h"

namespace schedlab::sim::fair {

inline constexpr std::size_t kLoadHistoryLength = 5;

// The fair tasks of one CPU, and what its balancing remembers. A plain value: the rules are in the
// functions below and in the other files of this folder.
struct RunQueue {
  struct Waiting {
    std::int64_t vruntime = 0;
    std::uint64_t sequence = 0;
    Task* task = nullptr;

    // Latest first, so that the next task is at the back.
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return a.vruntime != b.vruntime ? a.vruntime > b.vruntime : a.sequence > b.sequence;
    }
  };

  std::vector<Waiting> waiting;  // sorted; without `current`
  Task* current = nullptr;
  std::int32_t task_count = 0;  // waiting and current
  std::int64_t weight = 0;      // of all of them
  std::int64_t load = 0;        // sum of their PELT contributions
  std::int64_t min_vruntime = 0;
  Task* last_buddy = nullptr;
  Task* next_buddy = nullptr;
  Task* skip_buddy = nullptr;  // has yielded
  // The tasks in the order in which a pull looks at them.
  Task* list_head = nullptr;
  Task* list_tail = nullptr;

  std::array<std::int64_t, kLoadHistoryLength> load_history{};
  std::int64_t history_tick = 0;  // when load_history was brought up to date

  std::int64_t next_balance_tick = 0;
  bool has_idle_stamp = false;
  SimTime idle_stamp;
  SimDuration average_idle{1'000'000};
  SimDuration max_newidle_cost{500'000};
  bool is_balance_requested = false;  // as an idle CPU's, on behalf of all of them
  bool is_pushing = false;            // an active balance is on its way
  CpuNumber push_target = kNoCpu;
  FairEntity idle_task;  // as a waker, from interrupts on the idle CPU

  std::int64_t LoadPerTask() const { return task_count == 0 ? 0 : load / task_count; }
};

// Sorted insertion and removal; FIFO among equal vruntimes.
void InsertWaiting(RunQueue& queue, Task& task, std::uint64_t sequence);
void RemoveWaiting(RunQueue& queue, Task& task);

void ListPushFront(RunQueue& queue, Task& task);
void ListRemove(RunQueue& queue, Task& task);
void ListMoveToBack(RunQueue& queue, Task& task);

}  // namespace schedlab::sim::fair
