#include "sim/fair/group_types.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr Switches kTyped{.classification = Classification::kGroupTypesRunnable,
                          .group_imb_rule = GroupImbRule::kAffinityFlag,
                          .load_view = LoadView::kPeltAll,
                          .bias_mode = BiasMode::kNone};

GroupFacts Facts(std::int64_t running_count, std::int64_t util) {
  return {.cpu_count = 4, .running_count = running_count, .power = 4096, .util = util};
}

TEST(GroupTypesTest, AGroupWithFewerTasksThanCpusHasSpareCapacity) {
  FairMachine fair("core:4", kTyped);

  EXPECT_EQ(TypeOf(fair.state(), Facts(3, 4096), 117), GroupType::kHasSpare);
}

TEST(GroupTypesTest, AGroupWithATaskForEachCpuIsFullyBusyIfTheyUseItAll) {
  FairMachine fair("core:4", kTyped);

  EXPECT_EQ(TypeOf(fair.state(), Facts(4, 4096), 117), GroupType::kFullyBusy);
  EXPECT_EQ(TypeOf(fair.state(), Facts(4, 3000), 117), GroupType::kHasSpare);
}

TEST(GroupTypesTest, AGroupIsOverloadedOnlyIfItsManyTasksAskForMoreThanItHas) {
  FairMachine fair("core:4", kTyped);

  EXPECT_EQ(TypeOf(fair.state(), Facts(5, 4096), 117), GroupType::kOverloaded);
  EXPECT_EQ(TypeOf(fair.state(), Facts(5, 1000), 117), GroupType::kHasSpare);
}

TEST(GroupTypesTest, RunnableTasksMakeAGroupOverloadedFrom57On) {
  FairMachine older("core:4", {.classification = Classification::kGroupTypes});
  FairMachine newer("core:4", kTyped);
  GroupFacts facts = Facts(5, 1000);
  facts.runnable = 6000;

  EXPECT_EQ(TypeOf(older.state(), facts, 117), GroupType::kHasSpare);
  EXPECT_EQ(TypeOf(newer.state(), facts, 117), GroupType::kOverloaded);
}

TEST(GroupTypesTest, AFlaggedGroupIsImbalancedUnlessItIsOverloaded) {
  FairMachine fair("core:4", kTyped);
  GroupFacts facts = Facts(3, 0);
  facts.is_imbalanced = true;

  EXPECT_EQ(TypeOf(fair.state(), facts, 117), GroupType::kImbalanced);
}

TEST(GroupTypesTest, AnIdleCpuIsGivenOneOfTwoTasksOfAnother) {
  FairMachine fair("core:2", kTyped);
  fair.QueueMany(1, 2);

  Pass pass = fair.PassFor(0, 0);
  const TypedPlan plan = PlanByTypes(fair.state(), pass);

  ASSERT_NE(plan.busiest, nullptr);
  EXPECT_EQ(plan.unit, MoveUnit::kTask);
  EXPECT_EQ(plan.imbalance, 1);
}

TEST(GroupTypesTest, ALoneTaskStaysWhereItIs) {
  FairMachine fair("core:2", kTyped);
  fair.Queue(1);

  EXPECT_EQ(PlanByTypes(fair.state(), fair.PassFor(0, 0)).busiest, nullptr);
}

TEST(GroupTypesTest, ABusyCpuPullsNothingFromAGroupThatIsNotOverloaded) {
  FairMachine fair("core:2", {.classification = Classification::kGroupTypes});
  fair.Queue(0);
  for (Task* task : {&fair.Queue(1), &fair.Queue(1)}) task->fair.averages.util = 0;
  fair.state().Queue(1).root.averages.util = 0;
  fair.state().Queue(1).root.averages.running_sum = 0;

  EXPECT_EQ(PlanByTypes(fair.state(), fair.PassFor(0, 0, IdleType::kBusy)).busiest, nullptr);
}

TEST(GroupTypesTest, APassCountsTasksAsTasks) {
  FairMachine fair("core:2", kTyped);
  fair.QueueMany(1, 2);
  fair.LetCachesCool();

  const PassOutcome outcome = RunPass(fair.state(), {.by = 0, .cpu = 0, .level = 0});

  EXPECT_EQ(outcome.moved_count, 1);
  EXPECT_EQ(fair.Counters(0, 0, IdleType::kIdle).imbalance_task, 1);
  EXPECT_EQ(fair.Counters(0, 0, IdleType::kIdle).imbalance_load, 0);
}

TEST(GroupTypesTest, TheQueueWithMostTasksIsTheBusiestOne) {
  FairMachine fair("package:2 core:2", kTyped);
  fair.Queue(2, -10);
  fair.QueueMany(3, 3);
  Pass pass = fair.PassFor(0, 1);
  pass.level = 1;
  pass.unit = MoveUnit::kTask;

  const Group& group = *fair.state().domains.Of(0)[1].groups.back();
  EXPECT_EQ(BusiestQueueByUnit(fair.state(), pass, group), 3);
}

TEST(GroupTypesTest, FromLinux510FailuresMakeLargerTasksEligible) {
  Switches switches = kTyped;
  switches.domain_constants = DomainConstants::kFrom510;
  FairMachine fair("core:2", switches);
  const Task& task = fair.Queue(1);
  Pass pass = fair.PassFor(0, 600);

  EXPECT_TRUE(IsTooLarge(fair.state(), pass, task, 1024));
  fair.state().domains.Of(0)[0].failed_count = 1;
  EXPECT_FALSE(IsTooLarge(fair.state(), pass, task, 1024));
}

TEST(GroupTypesTest, TwoNodesMayDifferByTwoTasksWhileTheBusierOneIsAQuarterFull) {
  Switches switches = kTyped;
  switches.numa_imbalance = NumaImbalance::kTwoTasks;
  FairMachine fair("numa:2 core:8", switches);
  const Domain& domain = fair.state().domains.Of(0).back();
  NumaView view{.cpu = 0,
                .domain = &domain,
                .imbalance = 2,
                .arriving_count = 1,
                .busiest_count = 2,
                .busiest_cpu_count = 8};

  EXPECT_TRUE(NumaAllows(fair.state(), view));
  view.busiest_count = 3;
  EXPECT_FALSE(NumaAllows(fair.state(), view));
}

TEST(GroupTypesTest, OrAccordingToTheCachesOfANode) {
  Switches switches = kTyped;
  switches.numa_imbalance = NumaImbalance::kPerLlc;
  switches.wake_idle_search = WakeIdleSearch::kSisUtil;
  FairMachine fair("numa:2 core:16", switches);
  const Domain& domain = fair.state().domains.Of(0).back();
  NumaView view{.cpu = 0, .domain = &domain, .imbalance = 2, .arriving_count = 2};

  EXPECT_TRUE(NumaAllows(fair.state(), view));
  view.arriving_count = 3;
  EXPECT_FALSE(NumaAllows(fair.state(), view));
}

TEST(GroupTypesTest, ATaskIsMisfitOnlyWhereCapacitiesDiffer) {
  Switches switches = kTyped;
  switches.asym_capacity = AsymCapacity::kMisfit;
  Topology topology = testing::FreeTopology("core:2");
  FairMachine equal(topology, switches);
  topology.cpus[1].capacity = 400;
  FairMachine unequal(topology, switches);
  Task& task = unequal.Queue(1);
  task.fair.averages.util = 512;
  Task& other = equal.Queue(1);
  other.fair.averages.util = 1000;

  EXPECT_TRUE(IsMisfit(unequal.state(), task, 1));
  EXPECT_FALSE(IsMisfit(unequal.state(), task, 0));
  EXPECT_FALSE(IsMisfit(equal.state(), other, 1));
}

}  // namespace
}  // namespace schedlab::sim::fair
