#pragma once

#include <array>
#include <cstdint>

#include "sim/fair/cfs_queue.h"
#include "sim/task.h"

namespace schedlab::sim::fair {

inline constexpr std::size_t kLoadHistoryLength = 5;

// The fair tasks of one CPU, and what its balancing remembers. A plain value: the rules are in the
// functions below and in the other files of this folder.
struct RunQueue {
  CfsQueue root;
  Task* current = nullptr;
  std::int32_t listed_count = 0;   // of all groups
  std::int32_t delayed_count = 0;  // of these, those that are blocked, see FairEntity::is_delayed
  bool wants_reschedule = false;   // the current task has used up its request or its quota
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
  FairTask idle_task;  // as a waker, from interrupts on the idle CPU
};

void ListPushFront(RunQueue& queue, Task& task);
void ListPushBack(RunQueue& queue, Task& task);
void ListRemove(RunQueue& queue, Task& task);
void ListMoveToFront(RunQueue& queue, Task& task);
void ListMoveToBack(RunQueue& queue, Task& task);

}  // namespace schedlab::sim::fair
