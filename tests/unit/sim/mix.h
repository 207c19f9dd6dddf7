#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel.h"
#include "sim/run.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {

struct MixGroup {
  std::size_t parent = 0;  // 0 is the root; the first group below it is 1
  std::int64_t shares = 1'024;
  SimDuration quota{0};
  SimDuration period{100'000'000};
};

// Executes for ever, or for `run` and then sleeps for `sleep`, over and over.
struct MixTask {
  SchedAttributes attributes = {};
  std::size_t group = 0;
  std::int32_t session = 0;
  std::vector<CpuNumber> cpus = {};  // empty: all
  SimDuration run = kEndless;
  SimDuration sleep{0};
};

// A mix of tasks in groups, all of them started on CPU 0 or the first that they may run on.
class Mix final : public Workload {
 public:
  Mix(std::vector<MixGroup> groups, std::vector<MixTask> tasks)
      : groups_(std::move(groups)), tasks_(std::move(tasks)) {}

  TaskDemand Demand() const override {
    return {static_cast<std::int64_t>(tasks_.size()), "tasks of the mix"};
  }
  void Start(Kernel& kernel) override {
    made_.clear();
    std::vector<TaskGroup*> groups = {&kernel.root_group()};
    for (const MixGroup& each : groups_) {
      TaskGroup& group = kernel.AddGroup("group", *groups[each.parent], each.shares);
      group.quota = each.quota;
      group.period = each.period;
      kernel.ChangeGroup(group);
      groups.push_back(&group);
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const MixTask& each = tasks_[i];
      const auto number = static_cast<std::int32_t>(i);
      Task& task = each.cpus.empty() ? kernel.AddTask("task", 0, number)
                                     : kernel.AddTaskOn("task", each.cpus, 0, number);
      EXPECT_TRUE(kernel.SetAttributes(task, each.attributes).has_value());
      task.session = each.session;
      if (each.group != 0) kernel.SetGroup(task, *groups[each.group]);
      kernel.StartOn(task, each.cpus.empty() ? 0 : each.cpus.front());
      made_.push_back({&task, false});
    }
  }
  Step Next(Kernel& /*kernel*/, Task& task) override {
    const auto index = static_cast<std::size_t>(task.number);
    bool& has_run = made_[index].has_run;
    has_run = !has_run;
    return has_run ? Step::Run(tasks_[index].run) : Step::Sleep(tasks_[index].sleep);
  }
  void TimerFired(Kernel& /*kernel*/, std::int32_t /*timer*/) override {}
  void AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) override {
    work_.clear();
    for (const Made& each : made_) {
      work_.push_back(static_cast<double>(each.task->work_done.count()) / 1e6);
    }
  }

  // CPU time in ms, after a run.
  const std::vector<double>& work() const { return work_; }

 private:
  struct Made {
    Task* task;
    bool has_run;
  };
  std::vector<MixGroup> groups_;
  std::vector<MixTask> tasks_;
  std::vector<Made> made_;
  std::vector<double> work_;
};

// Runs a mix twice on a machine of `shape` without costs, expects the same of both, and returns the
// CPU time of each task in ms.
struct MixRun {
  std::string shape = "package:1";
  std::map<std::string, std::string> switches = {};
  std::vector<MixGroup> groups = {};
  std::vector<MixTask> tasks = {};
  SimDuration duration{1'000'000'000};
  CostTable costs = {};
};
struct MixResult {
  RunResult result;
  std::vector<double> work;
};

inline MixResult RunMix(const MixRun& run) {
  Topology topology = testing::FreeTopology(run.shape);
  topology.costs = run.costs;
  const PolicySpec policy = BarePolicy("linux-fair", run.switches);
  Mix mix(run.groups, run.tasks);
  const RunSetup setup{.topology = topology, .policy = policy, .duration = run.duration, .seed = 1};
  const Result<RunResult> first = Run(setup, mix, {});
  EXPECT_TRUE(first.has_value()) << first.error().message;
  const std::vector<double> work = mix.work();
  const Result<RunResult> second = Run(setup, mix, {});
  EXPECT_EQ(first.value(), second.value());
  EXPECT_EQ(work, mix.work());
  return {*first, work};
}

inline MixTask Nice(std::int32_t nice) { return {.attributes = {.nice = nice}}; }

}  // namespace schedlab::sim
