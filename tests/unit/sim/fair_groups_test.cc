#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "sim/fair/groups.h"
#include "sim/fair/load.h"
#include "sim/fair/queueing.h"
#include "tests/support/topologies.h"

namespace schedlab::sim::fair {
namespace {

// Queues of groups, moved by hand.
class FairGroupsTest : public ::testing::Test {
 protected:
  explicit FairGroupsTest(
      const Switches& switches = {.group_task_load = GroupTaskLoad::kHierarchical})
      : machine_(testing::FreeTopology("package:32")), state_(machine_, switches) {
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
  Task& AddTaskTo(CpuNumber cpu, TaskGroup& group) {
    Task& task = machine_.AddTask("task", machine_.AllCpus());
    task.group = &group;
    PlaceNew(state_, cpu, task);
    Enqueue(state_, cpu, task, Arrival::kNew);
    return task;
  }
  TaskGroup& root() { return settings_.front(); }
  FairEntity& EntityOf(const TaskGroup& group, CpuNumber cpu) {
    return state_.groups[static_cast<std::size_t>(group.index)]
        ->entities[static_cast<std::size_t>(cpu)];
  }

  std::deque<TaskGroup> settings_;
  Machine machine_;
  State state_;
};

TEST_F(FairGroupsTest, AGroupOnOneCpuHasAllItsSharesThere) {
  TaskGroup& group = AddGroup(root(), 2'048);
  AddTaskTo(0, group);
  AddTaskTo(0, group);

  EXPECT_EQ(EntityOf(group, 0).weight, 2'048);
  EXPECT_EQ(state_.Queue(0).root.weight, 2'048);
}

TEST_F(FairGroupsTest, TheSharesAreDividedAsTheWeightIs) {
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  AddTaskTo(1, group);
  AddTaskTo(1, group);
  AddTaskTo(1, group);
  UpdateShares(state_, *EntityOf(group, 0).own);

  EXPECT_EQ(EntityOf(group, 0).weight, 256);
  EXPECT_EQ(EntityOf(group, 1).weight, 768);
}

TEST_F(FairGroupsTest, AGroupIsQueuedWhileOneOfItsTasksIs) {
  TaskGroup& outer = AddGroup(root(), 1'024);
  TaskGroup& inner = AddGroup(outer, 1'024);
  Task& task = AddTaskTo(3, inner);
  EXPECT_TRUE(EntityOf(outer, 3).is_queued);
  EXPECT_TRUE(EntityOf(inner, 3).is_queued);
  EXPECT_EQ(state_.Queue(3).root.task_count, 1);

  Dequeue(state_, 3, task, Departure::kBlocked);

  EXPECT_FALSE(EntityOf(outer, 3).is_queued);
  EXPECT_FALSE(EntityOf(inner, 3).is_queued);
  EXPECT_EQ(state_.Queue(3).root.task_count, 0);
}

TEST_F(FairGroupsTest, AChoiceDescendsToATask) {
  TaskGroup& outer = AddGroup(root(), 1'024);
  TaskGroup& inner = AddGroup(outer, 1'024);
  Task& task = AddTaskTo(3, inner);

  EXPECT_EQ(TakeNext(state_, 3), &task);
  EXPECT_EQ(state_.Queue(3).root.current, &EntityOf(outer, 3));
  EXPECT_EQ(state_.Queue(3).current, &task);
}

// At nice 0 a task alone on its CPU weighs 1024 to the balancer, one of a group its part.
TEST_F(FairGroupsTest, TasksOfAGroupWeighTheirPartOfItsShares) {
  TaskGroup& group = AddGroup(root(), 1'024);
  Task* task = nullptr;
  for (int i = 0; i < 4; ++i) task = &AddTaskTo(0, group);

  EXPECT_NEAR(static_cast<double>(TaskLoad(state_, *task)), 256, 2);
}

class ZeroGroupLoadTest : public FairGroupsTest {
 protected:
  ZeroGroupLoadTest() : FairGroupsTest({.group_task_load = GroupTaskLoad::kZeroInGroup}) {}
};

TEST_F(ZeroGroupLoadTest, TasksOfAGroupWeighNothingWhereTheTopLoadIsReadFromTheWrongField) {
  Task& in_group = AddTaskTo(0, AddGroup(root(), 1'024));
  Task& in_root = AddTaskTo(0, root());

  EXPECT_EQ(TaskLoad(state_, in_group), 0);
  EXPECT_NEAR(static_cast<double>(TaskLoad(state_, in_root)), 1'024, 1);
}

class UtilizationTest : public FairGroupsTest {
 protected:
  UtilizationTest() : FairGroupsTest({.load_view = LoadView::kPeltAll}) {}
  void RunFor(std::int64_t ms) {
    for (std::int64_t i = 0; i < ms; ++i) {
      machine_.events().AdvanceTo(machine_.now() + SimDuration(1'000'000));
      CheckPreemptionAtTick(state_, 0);
    }
  }
};

TEST_F(UtilizationTest, TwoTasksOfAGroupUseOneCpuAndAskForTwo) {
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  AddTaskTo(0, group);
  TakeNext(state_, 0);
  RunFor(400);

  EXPECT_NEAR(static_cast<double>(CpuUtil(state_, 0)), 1'024, 10);
  EXPECT_NEAR(static_cast<double>(CpuRunnable(state_, 0)), 2'048, 20);
}

TEST_F(UtilizationTest, WhatATaskHasUsedStaysWhereItSleepsAndGoesWhereItWakes) {
  Task& task = AddTaskTo(0, AddGroup(root(), 1'024));
  TakeNext(state_, 0);
  RunFor(400);
  Dequeue(state_, 0, task, Departure::kBlocked);
  EXPECT_NEAR(static_cast<double>(CpuUtil(state_, 0)), 1'024, 10);
  EXPECT_NEAR(static_cast<double>(TaskUtil(task)), 1'024, 10);

  DetachVruntime(state_, task);
  Enqueue(state_, 1, task, Arrival::kWoken);

  EXPECT_NEAR(static_cast<double>(CpuUtil(state_, 0)), 0, 10);
  EXPECT_NEAR(static_cast<double>(CpuUtil(state_, 1)), 1'024, 10);
}

TEST_F(UtilizationTest, ASleepersLoadHalvesIn32Segments) {
  Task& task = AddTaskTo(0, root());
  TakeNext(state_, 0);
  RunFor(400);
  Dequeue(state_, 0, task, Departure::kBlocked);
  machine_.events().AdvanceTo(machine_.now() + SimDuration(32 * 1'024 * 1'024));

  EXPECT_NEAR(static_cast<double>(CpuLoad(state_, 0)), 512, 8);
}

}  // namespace
}  // namespace schedlab::sim::fair
