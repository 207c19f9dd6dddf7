#include <gtest/gtest.h>

#include "sim/fair/load.h"
#include "tests/unit/sim/fair_fixture.h"

namespace schedlab::sim::fair {
namespace {

class FairGroupsTest : public FairFixture {
 protected:
  explicit FairGroupsTest(
      const Switches& switches = {.group_task_load = GroupTaskLoad::kHierarchical})
      : FairFixture(switches) {}
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
};

TEST_F(UtilizationTest, TwoTasksOfAGroupUseOneCpuAndAskForTwo) {
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  AddTaskTo(0, group);
  TakeNext(state_, 0);
  Run(400);

  EXPECT_NEAR(static_cast<double>(CpuUtil(state_, 0)), 1'024, 10);
  EXPECT_NEAR(static_cast<double>(CpuRunnable(state_, 0)), 2'048, 20);
}

TEST_F(UtilizationTest, WhatATaskHasUsedStaysWhereItSleepsAndGoesWhereItWakes) {
  Task& task = AddTaskTo(0, AddGroup(root(), 1'024));
  TakeNext(state_, 0);
  Run(400);
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
  Run(400);
  Dequeue(state_, 0, task, Departure::kBlocked);
  machine_.events().AdvanceTo(machine_.now() + SimDuration(32 * 1'024 * 1'024));

  EXPECT_NEAR(static_cast<double>(CpuLoad(state_, 0)), 512, 8);
}

// The group weighs 1024 / 32 on each CPU, and each of its tasks a part of that, rounded down twice.
class EvenGroupTest : public FairGroupsTest {
 protected:
  EvenGroupTest()
      : FairGroupsTest({.load_view = LoadView::kWeight,
                        .group_task_load = GroupTaskLoad::kHierarchical,
                        .group_shares = GroupShares::kLazy10ms}) {}
  std::int64_t LoadWithTasksPerCpu(int count) {
    TaskGroup& group = AddGroup(root(), 1'024);
    Task* task = nullptr;
    for (CpuNumber cpu = 0; cpu < 32; ++cpu) {
      for (int i = 0; i < count; ++i) task = &AddTaskTo(cpu, group);
    }
    for (int round = 0; round < 2; ++round) {
      Advance(11'000);
      for (CpuNumber cpu = 0; cpu < 32; ++cpu) RefreshShares(state_, cpu);
    }
    return TaskLoad(state_, *task);
  }
};
TEST_F(EvenGroupTest, OneTaskPerCpuWeighs30) { EXPECT_EQ(LoadWithTasksPerCpu(1), 30); }
TEST_F(EvenGroupTest, TwoTasksPerCpuWeigh15Each) { EXPECT_EQ(LoadWithTasksPerCpu(2), 15); }
TEST_F(EvenGroupTest, TenTasksPerCpuWeigh3Each) { EXPECT_EQ(LoadWithTasksPerCpu(10), 3); }
TEST_F(EvenGroupTest, OneHundredAndTwentyFiveTasksPerCpuWeighNothing) {
  EXPECT_EQ(LoadWithTasksPerCpu(125), 0);
}

TEST_F(EvenGroupTest, AQueueLooksAsHeavyAsItsGroupLastHeard) {
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  Advance(20'000);
  RefreshShares(state_, 0);
  for (int i = 0; i < 9; ++i) AddTaskTo(1, group);
  UpdateShares(state_, *EntityOf(group, 0).own);
  EXPECT_EQ(EntityOf(group, 0).weight, 1'024);

  for (int i = 0; i < 20; ++i) {
    Advance(11'000);
    RefreshShares(state_, 1);
  }
  UpdateShares(state_, *EntityOf(group, 0).own);

  EXPECT_NEAR(static_cast<double>(EntityOf(group, 0).weight), 102, 1);
}

class RateLimitedTest : public FairGroupsTest {
 protected:
  RateLimitedTest() : FairGroupsTest({.group_shares = GroupShares::kRateLimited}) {}
};
// At first every CPU without tasks counts as one with a task.
TEST_F(RateLimitedTest, AllPartsAreComputedTogetherAndNotAgainForAMillisecond) {
  Advance(2'000);
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  EXPECT_EQ(EntityOf(group, 0).weight, 1'024 / 32);
  for (int i = 0; i < 32; ++i) AddTaskTo(0, group);
  EXPECT_EQ(EntityOf(group, 0).weight, 1'024 / 32);

  Advance(1'001);
  UpdateShares(state_, *EntityOf(group, 0).own);

  EXPECT_EQ(EntityOf(group, 0).weight, 1'024 * 33 / 64);
  EXPECT_EQ(EntityOf(group, 1).weight, 1'024 / 64);
}

class PeltSharesTest : public FairGroupsTest {
 protected:
  PeltSharesTest() : FairGroupsTest({.load_view = LoadView::kPeltAll}) {}
};
TEST_F(PeltSharesTest, ACpuThatATaskHasLeftKeepsItsPartWhileItsLoadLasts) {
  TaskGroup& group = AddGroup(root(), 1'024);
  AddTaskTo(0, group);
  Task& task = AddTaskTo(1, group);
  Run(400);
  RefreshShares(state_, 0);
  RefreshShares(state_, 1);
  UpdateShares(state_, *EntityOf(group, 0).own);
  EXPECT_NEAR(static_cast<double>(EntityOf(group, 0).weight), 512, 10);
  Sleep(task);
  UpdateShares(state_, *EntityOf(group, 0).own);
  EXPECT_NEAR(static_cast<double>(EntityOf(group, 0).weight), 512, 10);

  Run(320);
  RefreshShares(state_, 1);
  UpdateShares(state_, *EntityOf(group, 0).own);

  EXPECT_NEAR(static_cast<double>(EntityOf(group, 0).weight), 1'024, 10);
}

TEST_F(FairGroupsTest, SharesAreNotBelowTwo) {
  TaskGroup& group = AddGroup(root(), 2);
  for (CpuNumber cpu = 0; cpu < 8; ++cpu) AddTaskTo(cpu, group);

  EXPECT_EQ(EntityOf(group, 7).weight, 2);
}

}  // namespace
}  // namespace schedlab::sim::fair
