#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/fair/balance_state.h"
#include "sim/fair/domains.h"
#include "sim/fair/groups.h"
#include "sim/fair/run_queue.h"
#include "sim/fair/switches.h"
#include "sim/fair/tunables.h"
#include "sim/linux/higher_classes.h"
#include "sim/machine.h"

namespace schedlab::sim::fair {

// Everything that the fair class knows. The files of this folder are functions over it.
struct State {
  State(Machine& the_machine, const Switches& the_switches);

  Machine& machine;
  const Switches switches;
  const Tunables tunables;
  bool tracks_averages;  // something reads FairAverages
  Domains domains;
  std::vector<RunQueue> queues;
  // By CPU: what `root.task_count` of its queue was when the last change of that queue was
  // complete. Apart, since passes read it of all CPUs.
  std::vector<std::int32_t> task_counts;
  linux::HigherClasses higher;
  std::vector<std::unique_ptr<FairGroup>> groups;  // by TaskGroup::index; none for the root
  std::map<std::int32_t, std::unique_ptr<FairGroup>> sessions;  // by Task::session
  std::map<std::int32_t, FairGroup*> period_timers;             // by policy timer
  std::map<std::int32_t, FairGroup*> slack_timers;
  // CPUs whose tick is stopped, as far as the balancer knows: one leaves only at its next busy
  // tick.
  CpuSet tickless;
  std::int32_t tickless_count = 0;
  CpuNumber first_kicker = kNoCpu;  // see NohzBusyCount::kFirstTwoKickers
  CpuNumber second_kicker = kNoCpu;
  std::int64_t nohz_next_balance_tick = 0;
  BalanceState balance;

  RunQueue& Queue(CpuNumber cpu) { return queues[static_cast<std::size_t>(cpu)]; }
  const RunQueue& Queue(CpuNumber cpu) const { return queues[static_cast<std::size_t>(cpu)]; }

  // The runnable fair tasks of `cpu`, of all groups: without those of throttled ones.
  std::int32_t TaskCount(CpuNumber cpu) const { return task_counts[static_cast<std::size_t>(cpu)]; }
  void NoteTaskCount(CpuNumber cpu) {
    task_counts[static_cast<std::size_t>(cpu)] = Queue(cpu).root.task_count;
  }
  // Runnable tasks of every class, the running one among them.
  std::int32_t RunnableCount(CpuNumber cpu) const {
    return TaskCount(cpu) + higher.runnable_count(cpu);
  }
  // Executes nothing and has nothing queued.
  bool IsIdleCpu(CpuNumber cpu) const {
    return machine.IsIdle(cpu) && RunnableCount(cpu) == 0 &&
           balance.wake_lists[static_cast<std::size_t>(cpu)].empty();
  }

  // Whole ticks in `ms` milliseconds, rounded up.
  std::int64_t TicksFromMs(std::int64_t ms) const { return (ms * machine.tick_hz() + 999) / 1000; }
};

}  // namespace schedlab::sim::fair
