#pragma once

#include <cstdint>

#include "sim/sim_time.h"

namespace schedlab::sim {

struct Task;

namespace fair {
struct CfsQueue;
struct EntityNode;
}  // namespace fair

// What PELT knows of an entity or of a queue: decayed sums over its past and their averages, which
// stay while it sleeps (Linux 4.3 and later).
struct FairAverages {
  SimTime updated;
  std::int64_t segment_used = 0;  // of the current segment
  std::int64_t load_sum = 0;
  std::int64_t runnable_sum = 0;
  std::int64_t running_sum = 0;
  std::int64_t load = 0;      // in units of weight
  std::int64_t runnable = 0;  // 1024 = one task that is always runnable
  std::int64_t util = 0;      // 1024 = always executing
};

// What the fair class schedules: a task, or all tasks of a group on one CPU.
struct alignas(64) FairEntity {
  fair::EntityNode* tree_leaf = nullptr;  // that it is in while it waits, see EntityTree
  std::int64_t tree_key = 0;
  std::int64_t vruntime = 0;
  std::int64_t weight = 1024;
  std::int64_t deadline = 0;         // EEVDF: of its request; relative while it is being moved
  std::int64_t lag = 0;              // EEVDF: how much service it was owed when it left
  std::int64_t picked_deadline = 0;  // EEVDF: until when nobody may overtake it
  SimDuration slice{0};              // EEVDF: of its requests; 0 = the class's
  SimTime exec_start;                // until when its running time is accounted
  SimDuration sum_exec{0};
  SimDuration sum_exec_at_pick{0};
  bool is_queued = false;   // waiting or current
  bool is_delayed = false;  // blocked or empty, but queued until it has paid what it used too much
  bool has_relative_deadline = false;
  FairEntity* parent = nullptr;     // of the group that it belongs to; null for the root
  fair::CfsQueue* queue = nullptr;  // that it is in, or was in last
  fair::CfsQueue* own = nullptr;    // of the group that it stands for; null for a task
  Task* task = nullptr;             // null for a group

  FairAverages averages;

  fair::CfsQueue* counted_in = nullptr;  // whose averages hold those of this task

  // PELT of Linux 3.8 to 4.2, see LoadView::kPeltRunnable: microseconds, decayed.
  std::int64_t runnable_sum = 0;
  std::int64_t period_sum = 0;    // 0 = not known to the class yet, under any view
  std::int64_t segment_used = 0;  // of the current segment
  SimTime load_updated;
  std::int64_t load = 0;  // its contribution to its queue's load
};

// The entity of a task, with what the balancer and the placement of wakeups keep about it.
struct FairTask : FairEntity {
  // The balancer's list of the tasks of a queue.
  Task* list_previous = nullptr;
  Task* list_next = nullptr;
  // As a waker (Linux 2.6.31 to 2.6.34): CPU time between two wakeups, and from the last one to the
  // end of its turn. 0 where it has woken nobody since it last slept.
  SimDuration average_wakeup{0};
  SimDuration average_overlap{0};
  SimDuration sum_exec_at_wakeup{0};
  SimDuration sum_exec_at_start{0};  // when it woke up
  // One-to-many wakers.
  const void* last_wakee = nullptr;  // compared, never ordered
  std::int64_t wakee_flips = 0;
  SimTime flips_decayed;
  bool is_excused = false;       // waits for the quota of a group, which is no waste of idle CPUs
  std::int32_t recent_cpu = -1;  // used before its previous one, see wake_recent_cpu
};

}  // namespace schedlab::sim
