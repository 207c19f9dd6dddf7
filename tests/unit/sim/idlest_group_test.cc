#include "sim/fair/idlest_group.h"

#include <gtest/gtest.h>

#include "sim/fair/placement.h"
#include "sim/fair/triggers.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr auto kTwoCaches = "package:2 core:4";

// Where a task goes that is forked on CPU 0.
CpuNumber Forked(FairMachine& fair) {
  return SelectCpuForNew(fair.state(), fair.Sleeper(0), {.cpu = 0});
}

TEST(IdlestGroupTest, AmongGroupsWithRoomTheLocalOneKeepsATie) {
  FairMachine fair(kTwoCaches, {.idlest_group_rule = IdlestGroupRule::kGroupTypes,
                                .classification = Classification::kGroupTypes});
  const Domain& top = fair.state().domains.Of(0)[1];
  const IdlestWalk walk{.cpu = 0, .by = 0};

  EXPECT_EQ(IdlestByType(fair.state(), top, fair.Sleeper(0), walk), nullptr);
  fair.Queue(1);
  EXPECT_EQ(IdlestByType(fair.state(), top, fair.Sleeper(0), walk), top.groups.back());
}

TEST(IdlestGroupTest, AnOverloadedGroupIsLeftForOneWithRoom) {
  FairMachine fair(kTwoCaches, {.idlest_group_rule = IdlestGroupRule::kGroupTypes,
                                .classification = Classification::kGroupTypes});
  for (CpuNumber cpu = 0; cpu < 4; ++cpu) fair.QueueMany(cpu, 2);
  for (CpuNumber cpu = 4; cpu < 7; ++cpu) fair.Queue(cpu);

  EXPECT_EQ(Forked(fair), 7);
}

TEST(IdlestGroupTest, ATaskThatCallsExecGoesWhereCapacityIsSpare) {
  FairMachine fair(kTwoCaches, {.idlest_group_rule = IdlestGroupRule::kSpareCapacity});
  const Domain& top = fair.state().domains.Of(0)[1];
  Task& task = fair.Queue(0);
  task.fair.averages.util = 400;
  for (CpuNumber cpu = 0; cpu < 4; ++cpu) fair.state().Queue(cpu).root.averages.util = 900;
  for (CpuNumber cpu = 0; cpu < 4; ++cpu) {
    fair.state().Queue(cpu).root.averages.running_sum = 900 * 47'742;
  }

  EXPECT_EQ(IdlestBySpare(fair.state(), top, task, {.cpu = 0, .by = 0}), top.groups.back());
}

TEST(IdlestGroupTest, ANewTaskIsPlacedByLoad) {
  FairMachine fair(kTwoCaches, {.idlest_group_rule = IdlestGroupRule::kSpareCapacity,
                                .load_view = LoadView::kWeight,
                                .bias_mode = BiasMode::kNone});
  const Domain& top = fair.state().domains.Of(0)[1];
  const IdlestWalk walk{.cpu = 0, .by = 0};

  fair.QueueMany(4, 2);
  EXPECT_EQ(IdlestBySpare(fair.state(), top, fair.Sleeper(0), walk), nullptr);
  fair.QueueMany(0, 4);
  EXPECT_EQ(IdlestBySpare(fair.state(), top, fair.Sleeper(0), walk), top.groups.back());
}

TEST(IdlestGroupTest, OfIdleCpusTheOneThatWentIdleLastIsTaken) {
  FairMachine fair("package:2 core:2", {.idlest_group_rule = IdlestGroupRule::kGroupTypes,
                                        .idlest_cpu_rule = IdlestCpuRule::kIdleFirst,
                                        .classification = Classification::kGroupTypes});
  fair.Queue(0);
  fair.Queue(1);
  fair.state().balance.idle_since[3] = SimTime(SimDuration{5});

  EXPECT_EQ(Forked(fair), 3);
}

TEST(TypeThenLoadTest, AnOverloadedGroupComesBeforeOneOfMoreLoad) {
  FairMachine fair("package:3 core:2", {.classification = Classification::kTypeThenLoad,
                                        .load_view = LoadView::kWeight,
                                        .bias_mode = BiasMode::kNone});
  fair.Queue(2, -10);
  for (const CpuNumber cpu : {4, 4, 5}) fair.Queue(cpu);
  Pass pass = fair.PassFor(0, 0);
  pass.level = 1;

  const DomainLoad loads = MeasureDomain(fair.state(), pass);
  ASSERT_NE(loads.busiest.group, nullptr);
  EXPECT_TRUE(loads.busiest.group->set.Contains(4));
}

TEST(TypeThenLoadTest, AGroupOfManyShortTasksIsNotOverloadedByUtilisation) {
  FairMachine fair("package:2 core:2", {.group_capacity = GroupCapacity::kUtilization,
                                        .classification = Classification::kTypeThenLoad});
  fair.QueueMany(2, 3);
  CfsQueue& root = fair.state().Queue(2).root;
  root.averages.util = 100;
  root.averages.running_sum = 100 * 47'742;
  const Group& group = *fair.state().domains.Of(0)[1].groups.back();
  Pass pass = fair.PassFor(0, 0);
  pass.level = 1;

  const GroupLoad load = MeasureGroup(fair.state(), pass, group, false);
  EXPECT_FALSE(load.is_overloaded);
  EXPECT_TRUE(load.has_room);
}

TEST(OverloadCheckTest, NobodyLooksForWorkWhileNoCpuHasTwoTasks) {
  FairMachine fair("core:2", {.newidle_overload_check = OffOn::kOn});
  fair.Queue(1);
  EXPECT_FALSE(BalanceNewlyIdle(fair.state(), 0));
  EXPECT_EQ(fair.machine().counters().newidle_gated, 1);

  fair.Queue(1);
  fair.LetCachesCool();
  EXPECT_TRUE(BalanceNewlyIdle(fair.state(), 0));
  EXPECT_EQ(fair.machine().counters().newidle_gated, 1);
}

}  // namespace
}  // namespace schedlab::sim::fair
