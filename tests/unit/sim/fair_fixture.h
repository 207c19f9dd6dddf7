#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>

#include "sim/fair/groups.h"
#include "sim/fair/queueing.h"
#include "sim/fair/tunables.h"
#include "tests/support/topologies.h"

namespace schedlab::sim::fair {

// Queues of the fair class on a machine where nothing runs by itself.
class FairFixture : public ::testing::Test {
 protected:
  explicit FairFixture(const Switches& switches, const std::string& shape = "package:32")
      : machine_(testing::FreeTopology(shape)), state_(machine_, switches) {
    ApplyGroup(state_, settings_.emplace_back());
  }

  TaskGroup& AddGroup(TaskGroup& parent, std::int64_t shares) {
    TaskGroup& group = settings_.emplace_back();
    group.index = static_cast<std::int32_t>(settings_.size()) - 1;
    group.parent = &parent;
    group.shares = shares;
    ApplyGroup(state_, group);
    return group;
  }
  Task& AddTaskTo(CpuNumber cpu, TaskGroup& group, std::int32_t nice = 0) {
    Task& task = machine_.AddTask("task", machine_.AllCpus());
    task.group = &group;
    task.attributes.nice = nice;
    task.fair.weight = WeightOf(nice);
    PlaceNew(state_, cpu, task);
    Enqueue(state_, cpu, task, Arrival::kNew);
    return task;
  }
  Task& AddTask(std::int32_t nice = 0) { return AddTaskTo(0, root(), nice); }
  void Sleep(Task& task) { Dequeue(state_, task.cpu, task, Departure::kBlocked); }
  void WakeOn(CpuNumber cpu, Task& task) {
    DetachVruntime(state_, task);
    Enqueue(state_, cpu, task, Arrival::kWoken);
    CheckPreemption(state_, cpu, task, cpu);
  }
  Task* PickOn(CpuNumber cpu) {
    machine_.ClearReschedule(cpu);
    return TakeNext(state_, cpu);
  }
  void Advance(std::int64_t us) {
    machine_.events().AdvanceTo(machine_.now() + SimDuration(us * 1'000));
  }
  // Time passes on CPU 0, tick by tick, and tasks take turns.
  void Run(std::int64_t ms) {
    for (std::int64_t i = 0; i < ms; ++i) {
      Advance(1'000);
      CheckPreemptionAtTick(state_, 0);
      if (machine_.NeedsReschedule(0)) PickOn(0);
    }
  }

  TaskGroup& root() { return settings_.front(); }
  CfsQueue& RootQueue(CpuNumber cpu = 0) { return state_.Queue(cpu).root; }
  FairEntity& EntityOf(const TaskGroup& group, CpuNumber cpu) {
    return state_.groups[static_cast<std::size_t>(group.index)]
        ->entities[static_cast<std::size_t>(cpu)];
  }
  static double Ms(SimDuration duration) { return static_cast<double>(duration.count()) / 1e6; }

  std::deque<TaskGroup> settings_;
  Machine machine_;
  State state_;
};

}  // namespace schedlab::sim::fair
