#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/fair/balance_pass.h"
#include "sim/fair/group_load.h"
#include "sim/fair/queueing.h"
#include "sim/fair/state.h"
#include "tests/support/topologies.h"

namespace schedlab::sim::fair {

// The rules of the fair class one by one, on a machine where nothing runs by itself and every CPU
// without tasks is idle.
class FairMachine {
 public:
  explicit FairMachine(const Topology& topology, const Switches& switches = {})
      : machine_(topology), state_(machine_, switches) {
    for (CpuNumber cpu = 0; cpu < machine_.cpu_count(); ++cpu) machine_.EnterIdle(cpu);
  }
  explicit FairMachine(const std::string& shape, const Switches& switches = {})
      : FairMachine(testing::FreeTopology(shape), switches) {}

  Machine& machine() { return machine_; }
  State& state() { return state_; }

  // A task of nice 0 that waits on `cpu`.
  Task& Queue(CpuNumber cpu, std::int32_t nice = 0) {
    Task& task = Create();
    task.fair.weight = WeightOf(nice);
    Add(cpu, task);
    return task;
  }
  void QueueMany(CpuNumber cpu, int count) {
    for (int i = 0; i < count; ++i) Queue(cpu);
  }
  Task& QueueIn(TaskGroup& group, CpuNumber cpu) {
    Task& task = Create();
    task.group = &group;
    Add(cpu, task);
    return task;
  }
  // One that executes on `cpu`.
  Task& Execute(CpuNumber cpu) {
    Task& task = Queue(cpu);
    TakeNext(state_, cpu);
    return task;
  }
  // One that sleeps, and ran on `cpu` last.
  Task& Sleeper(CpuNumber cpu) {
    Task& task = Create();
    task.cpu = cpu;
    return task;
  }

  void AdvanceTo(std::int64_t ns) { machine_.events().AdvanceTo(SimTime(SimDuration(ns))); }
  // Nothing that was queued by now is cache hot any more.
  void LetCachesCool() { AdvanceTo(Ns(machine_.now()) + 10'000'000); }

  Pass PassFor(CpuNumber cpu, std::int64_t imbalance, IdleType idle = IdleType::kIdle) {
    return {.by = cpu,
            .cpu = cpu,
            .level = 0,
            .idle = idle,
            .candidates = machine_.AllCpus(),
            .imbalance = imbalance};
  }
  const PassCounters& Counters(CpuNumber cpu, std::size_t level, IdleType idle) {
    return state_.domains.Of(cpu)[level].passes[static_cast<std::size_t>(idle)];
  }

 private:
  Task& Create() { return machine_.AddTask("task", machine_.AllCpus()); }
  void Add(CpuNumber cpu, Task& task) {
    PlaceNew(state_, cpu, task);
    Enqueue(state_, cpu, task, Arrival::kNew);
  }

  Machine machine_;
  State state_;
};

}  // namespace schedlab::sim::fair
