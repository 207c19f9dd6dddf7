// Rules of the fair class that other kernels than the default have, each beside the default's.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sim/fair/balance_pass.h"
#include "sim/fair/group_load.h"
#include "sim/fair/imbalance.h"
#include "sim/fair/nohz.h"
#include "sim/fair/placement.h"
#include "sim/fair/queueing.h"
#include "sim/fair/triggers.h"
#include "sim/fair/wake_affine.h"
#include "tests/support/topologies.h"

namespace schedlab::sim::fair {
namespace {

// A machine on which nothing runs by itself.
struct Rig {
  Machine machine;
  State state;

  Rig(const std::string& shape, const Switches& switches)
      : machine(testing::FreeTopology(shape)), state(machine, switches) {
    for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) machine.EnterIdle(cpu);
  }

  Task& AddTasksTo(CpuNumber cpu, int count) {
    machine.LeaveIdle(cpu);
    Task* last = nullptr;
    for (int i = 0; i < count; ++i) {
      last = &machine.AddTask("task", machine.AllCpus());
      PlaceNew(state, cpu, *last);
      Enqueue(state, cpu, *last, Arrival::kNew);
    }
    return *last;
  }
  bool IsElected(CpuNumber cpu, std::size_t level, IdleType idle) {
    return RunPass(state, {.by = cpu, .cpu = cpu, .level = level, .idle = idle}).may_climb;
  }
  std::pair<Pass, DomainLoad> Measured(CpuNumber cpu, std::size_t level, IdleType idle) {
    const Pass pass{
        .by = cpu, .cpu = cpu, .level = level, .idle = idle, .candidates = machine.AllCpus()};
    return {pass, MeasureDomain(state, pass)};
  }
  CpuNumber OnCore(std::int32_t core) const {
    CpuNumber cpu = 0;
    while (machine.topology_cpus()[static_cast<std::size_t>(cpu)].core != core) ++cpu;
    return cpu;
  }
};

constexpr auto kTwoNodes = "numa:2 core:2";
constexpr std::size_t kNodeLevel = 1;

TEST(ElectionTest, TheFirstCpuBalancesForABusyGroup) {
  Rig rig(kTwoNodes, {});
  rig.AddTasksTo(0, 2);
  rig.AddTasksTo(1, 1);

  EXPECT_TRUE(rig.IsElected(0, kNodeLevel, IdleType::kBusy));
  EXPECT_FALSE(rig.IsElected(1, kNodeLevel, IdleType::kBusy));
}

TEST(ElectionTest, TheLeastLoadedCpuMayBalanceInstead) {
  Rig rig(kTwoNodes, {.election = Election::kLeastLoaded});
  rig.AddTasksTo(0, 2);
  rig.AddTasksTo(1, 1);

  EXPECT_FALSE(rig.IsElected(0, kNodeLevel, IdleType::kBusy));
  EXPECT_TRUE(rig.IsElected(1, kNodeLevel, IdleType::kBusy));
}

TEST(ElectionTest, OfSeveralIdleCpusTheLeastLoadedIsTheLast) {
  Rig rig(kTwoNodes, {.election = Election::kLeastLoaded});

  EXPECT_FALSE(rig.IsElected(0, kNodeLevel, IdleType::kIdle));
  EXPECT_TRUE(rig.IsElected(1, kNodeLevel, IdleType::kIdle));
}

TEST(ElectionTest, ACpuOfAnIdleCoreGoesBeforeTheSiblingOfABusyOne) {
  for (const Election election : {Election::kCorrect, Election::kIdleCoreFirst}) {
    Rig rig("numa:2 core:2 pu:2", {.election = election});
    const CpuNumber busy = rig.OnCore(0);
    const CpuNumber core_mate = rig.OnCore(1);
    rig.AddTasksTo(busy, 1);
    const std::size_t top = rig.state.domains.Of(busy).size() - 1;

    EXPECT_EQ(rig.IsElected(core_mate, top, IdleType::kIdle), election == Election::kIdleCoreFirst);
  }
}

// Two tasks stacked on one of two CPUs of another node, both CPUs of this node idle.
TEST(IdleRuleTest, TheMarginOfLoadMayDecideWhereIdleCpusWouldNot) {
  for (const IdleRule rule : {IdleRule::kLocalLeBusiestPlus1, IdleRule::kPctTest}) {
    Rig rig(kTwoNodes, {.idle_rule = rule, .group_imb_rule = GroupImbRule::kAffinityFlag});
    rig.AddTasksTo(2, 2);
    rig.state.Queue(2).load_history.fill(2 * 1'024);  // an idle pass reads it
    const auto [pass, loads] = rig.Measured(0, kNodeLevel, IdleType::kIdle);

    ASSERT_NE(loads.busiest.group, nullptr);
    EXPECT_EQ(IsBalanced(rig.state, pass, loads), rule == IdleRule::kLocalLeBusiestPlus1);
  }
}

bool IsImbalanced(GroupImbRule rule, int tasks_on_one, int tasks_on_other) {
  Rig rig(kTwoNodes, {.group_imb_rule = rule});
  rig.AddTasksTo(2, tasks_on_one);
  if (tasks_on_other > 0) rig.AddTasksTo(3, tasks_on_other);
  return rig.Measured(0, kNodeLevel, IdleType::kNewlyIdle).second.busiest.is_imbalanced;
}

TEST(GroupImbRuleTest, ASpreadOfOneTaskCountsOnlyWhereQueueLengthsDoNot) {
  EXPECT_FALSE(IsImbalanced(GroupImbRule::kSpread, 2, 1));
  EXPECT_TRUE(IsImbalanced(GroupImbRule::kTaskSpread, 2, 1));
  EXPECT_FALSE(IsImbalanced(GroupImbRule::kPowerScaledSpread, 2, 1));
}

TEST(GroupImbRuleTest, TheOldestRuleWantsTwiceTheSumOfMeanTaskLoadsOverPower) {
  EXPECT_FALSE(IsImbalanced(GroupImbRule::kPowerScaledSpread, 3, 1));
  EXPECT_TRUE(IsImbalanced(GroupImbRule::kPowerScaledSpread, 4, 1));
  EXPECT_TRUE(IsImbalanced(GroupImbRule::kPowerScaledSpread, 2, 0));
}

TEST(LocalRoomRuleTest, AnImbalancedGroupForcesAPassOnlyWhereRoomDoes) {
  for (const LocalRoomRule rule : {LocalRoomRule::kForcesNewidle, LocalRoomRule::kNone}) {
    Rig rig(kTwoNodes, {.local_room_rule = rule, .group_imb_rule = GroupImbRule::kTaskSpread});
    rig.AddTasksTo(0, 4);
    rig.AddTasksTo(2, 3);
    const auto [pass, loads] = rig.Measured(1, kNodeLevel, IdleType::kNewlyIdle);

    ASSERT_TRUE(loads.busiest.is_imbalanced);
    EXPECT_EQ(IsBalanced(rig.state, pass, loads), rule == LocalRoomRule::kNone);
  }
}

// An interrupt on idle CPU 0 wakes a task that slept on the other node.
CpuNumber WokenOn(WakeWide wake_wide, std::int64_t waker_flips, std::int64_t wakee_flips) {
  Rig rig("numa:2 l3:1 core:4", {.wake_wide = wake_wide});
  Task& task = rig.AddTasksTo(4, 1);
  Dequeue(rig.state, 4, task, Departure::kBlocked);
  rig.machine.EnterIdle(4);
  rig.state.Queue(0).idle_task.wakee_flips = waker_flips;
  task.fair.wakee_flips = wakee_flips;
  return SelectCpuForWakeup(rig.state, task, {.cpu = 0});
}

TEST(WakeWideTest, TheFirstFormAsksOnlyWhetherTheWakerFlipsMore) {
  EXPECT_EQ(WokenOn(WakeWide::kOn, 21, 5), 4);
  EXPECT_EQ(WokenOn(WakeWide::kOn, 5, 21), 0);
  EXPECT_EQ(WokenOn(WakeWide::kOff, 21, 5), 0);
}

TEST(WakeWideTest, TheSecondFormDoesNotCareWhichOfTheTwoFlipsMore) {
  EXPECT_EQ(WokenOn(WakeWide::kSymmetric, 16, 4), 4);
  EXPECT_EQ(WokenOn(WakeWide::kSymmetric, 4, 16), 4);
  EXPECT_EQ(WokenOn(WakeWide::kSymmetric, 3, 16), 0);
}

// CPUs 0 and 1 of four have a task each, the others have stopped their ticks. Kicks after a tick of
// each busy one.
std::pair<std::int64_t, std::int64_t> KicksOfTwoBusyCpus(NohzBusyCount rule) {
  Rig rig("package:1 core:4", {.nohz_busy_count = rule});
  rig.AddTasksTo(0, 1);
  rig.AddTasksTo(1, 1);
  MarkTickless(rig.state, 2);
  MarkTickless(rig.state, 3);
  BalanceAtTick(rig.state, 0);
  const std::int64_t first = rig.machine.counters().nohz_kicks;
  rig.state.nohz_next_balance_tick = 0;
  BalanceAtTick(rig.state, 1);
  return {first, rig.machine.counters().nohz_kicks - first};
}

TEST(NohzBusyCountTest, GroupsOfOneCpuNeverHaveTwoBusyOnes) {
  EXPECT_EQ(KicksOfTwoBusyCpus(NohzBusyCount::kEveryLevel), std::make_pair(0L, 0L));
}

TEST(NohzBusyCountTest, TwoBusyCpusUnderOneCacheKick) {
  EXPECT_EQ(KicksOfTwoBusyCpus(NohzBusyCount::kLlcShared).first, 1);
}

TEST(NohzBusyCountTest, OfTwoKickersTheSecondNeedsNoTaskTooMany) {
  EXPECT_EQ(KicksOfTwoBusyCpus(NohzBusyCount::kFirstTwoKickers), std::make_pair(0L, 1L));
}

TEST(NohzBusyCountTest, AThirdBusyCpuDoesNotKick) {
  Rig rig("package:1 core:4", {.nohz_busy_count = NohzBusyCount::kFirstTwoKickers});
  for (CpuNumber cpu = 0; cpu < 3; ++cpu) rig.AddTasksTo(cpu, 1);
  MarkTickless(rig.state, 3);
  rig.state.first_kicker = 0;
  rig.state.second_kicker = 1;
  rig.AddTasksTo(2, 1);
  BalanceAtTick(rig.state, 2);

  EXPECT_EQ(rig.machine.counters().nohz_kicks, 0);
}

}  // namespace
}  // namespace schedlab::sim::fair
