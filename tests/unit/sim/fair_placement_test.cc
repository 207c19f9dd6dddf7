#include <gtest/gtest.h>

#include "sim/fair/load.h"
#include "sim/fair/placement.h"
#include "sim/fair/wake_list.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

// Two caches of four CPUs; with threads, two of two cores.
constexpr auto kTwoCaches = "package:2 core:4";
constexpr auto kThreads = "package:2 core:2 pu:2";

// An interrupt on `by`, which has no load, wakes a task whose previous CPU is `previous`.
CpuNumber WokenBy(FairMachine& fair, CpuNumber by, CpuNumber previous) {
  return SelectCpuForWakeup(fair.state(), fair.Sleeper(previous), {.cpu = by});
}

TEST(FairPlacementTest, WithoutASearchTheAffineTestAloneDecides) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kNone});
  fair.QueueMany(0, 3);

  EXPECT_EQ(WokenBy(fair, 0, 0), 0);
}

TEST(FairPlacementTest, ThreadsOfThePreviousCoreAreSearchedBy2631) {
  FairMachine fair(kThreads,
                   {.wake_affine = OnOff::kOff, .wake_idle_search = WakeIdleSearch::kWakeIdleSmt});
  fair.Queue(2);

  EXPECT_EQ(WokenBy(fair, 0, 2), 3);
}

TEST(FairPlacementTest, ButNotIfTwoTasksAreThereAlready) {
  FairMachine fair(kThreads,
                   {.wake_affine = OnOff::kOff, .wake_idle_search = WakeIdleSearch::kWakeIdleSmt});
  fair.QueueMany(2, 2);

  EXPECT_EQ(WokenBy(fair, 0, 2), 2);
}

TEST(FairPlacementTest, ThatSearchStopsAtTheCore) {
  FairMachine fair(kThreads,
                   {.wake_affine = OnOff::kOff, .wake_idle_search = WakeIdleSearch::kWakeIdleSmt});
  fair.Queue(2);
  fair.Queue(3);

  EXPECT_EQ(WokenBy(fair, 0, 2), 2);
}

TEST(FairPlacementTest, UnlessItGoesThroughAllLevels) {
  FairMachine fair(kThreads,
                   {.wake_affine = OnOff::kOff, .wake_idle_search = WakeIdleSearch::kWakeIdleAll});
  fair.Queue(2);
  fair.Queue(3);

  EXPECT_EQ(WokenBy(fair, 5, 2), 0);
}

// 2.6.31 to 2.6.32: the waking CPU takes what it attracts even if it is busy and others are not.
TEST(FairPlacementTest, WhatTheWakingCpuAttractsIsNotSearchedForBy2631) {
  FairMachine fair(kThreads, {.wake_affine_rule = WakeAffineRule::kOverlapSync,
                              .wake_idle_search = WakeIdleSearch::kWakeIdleSmt});
  fair.Execute(0);
  fair.QueueMany(4, 4);

  EXPECT_EQ(WokenBy(fair, 0, 4), 0);
}

// The whole machine is one level that prefers siblings: every CPU of it is looked at.
TEST(FairPlacementTest, TheSearchOf2633Rc1CrossesCaches) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kPreferSiblingClimbing,
                                .prefer_sibling = PreferSibling::kMcAndCpu});
  for (CpuNumber cpu = 0; cpu < 7; ++cpu) fair.Queue(cpu);
  fair.QueueMany(4, 3);

  EXPECT_EQ(WokenBy(fair, 0, 4), 7);
}

TEST(FairPlacementTest, ItPaysForEveryCpuThatItLooksAt) {
  Topology topology = testing::FreeTopology(kTwoCaches);
  topology.costs.probe_same_llc_ns = 1;
  topology.costs.probe_same_node_ns = 10;
  FairMachine fair(topology, {.wake_affine = OnOff::kOff,
                              .wake_idle_search = WakeIdleSearch::kPreferSiblingClimbing,
                              .prefer_sibling = PreferSibling::kMcAndCpu});
  for (CpuNumber cpu = 0; cpu < 8; ++cpu) fair.Queue(cpu);
  WokenBy(fair, 0, 4);

  // Four of its own cache, then all eight, the previous CPU once more before them.
  EXPECT_EQ(fair.machine().times(0).overhead, SimDuration(3 + 10 + 3 + 4 * 10));
}

TEST(FairPlacementTest, ItsFixStaysWithinTheCache) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kLlcFirst,
                                .prefer_sibling = PreferSibling::kMcAndCpu});
  for (CpuNumber cpu = 0; cpu < 7; ++cpu) fair.Queue(cpu);
  fair.QueueMany(4, 3);

  EXPECT_EQ(WokenBy(fair, 0, 4), 0);
}

TEST(FairPlacementTest, TheFirstFormSearchedOnlyTheLevelWithBoth) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kPreferSibling,
                                .prefer_sibling = PreferSibling::kNone});
  for (CpuNumber cpu = 0; cpu < 7; ++cpu) fair.Queue(cpu);
  fair.QueueMany(4, 3);

  EXPECT_NE(WokenBy(fair, 0, 4), 7);
}

TEST(FairPlacementTest, FirstIdleByNumberNearTheTargetFrom2635) {
  FairMachine fair(kTwoCaches, {.wake_affine = OnOff::kOff,
                                .wake_idle_search = WakeIdleSearch::kLlcAfterAffine});
  fair.Queue(4);
  fair.Queue(5);

  EXPECT_EQ(WokenBy(fair, 0, 5), 6);
}

TEST(FairPlacementTest, AWhollyIdleCoreNearTheTargetFrom32) {
  FairMachine fair(kThreads,
                   {.wake_affine = OnOff::kOff, .wake_idle_search = WakeIdleSearch::kLlcIdleGroup});
  fair.Queue(4);
  fair.Queue(5);

  EXPECT_EQ(WokenBy(fair, 0, 4), 6);
}

// A synchronous waker attracts a task whose previous CPU is idle, under the same cache.
CpuNumber AttractedFromAnIdleCpu(WakeIdleSearch search) {
  FairMachine fair("core:4", {.wake_idle_search = search});
  Task& waker = fair.Execute(0);
  return SelectCpuForWakeup(fair.state(), fair.Sleeper(2), {0, &waker, WakeHint::kSync});
}

TEST(FairPlacementTest, ThePreviousCpuIsNoBetterThanAnotherIn32) {
  EXPECT_EQ(AttractedFromAnIdleCpu(WakeIdleSearch::kLlcIdleGroup), 1);
}

TEST(FairPlacementTest, ThePreviousCpuComesFirstFrom39) {
  EXPECT_EQ(AttractedFromAnIdleCpu(WakeIdleSearch::kLlcGroupPrevfirst), 2);
}

// A waker that is about to sleep leaves its CPU free.
CpuNumber WokenWithHint(FairMachine& fair, WakeHint hint, SimDuration overlap = SimDuration{0}) {
  Task& waker = fair.Execute(0);
  waker.fair.average_overlap = overlap;
  fair.Queue(4);
  return SelectCpuForWakeup(fair.state(), fair.Sleeper(4), {0, &waker, hint});
}

TEST(FairPlacementTest, ABusyWakerAttractsNothing) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kNone});

  EXPECT_EQ(WokenWithHint(fair, WakeHint::kNone), 4);
}

TEST(FairPlacementTest, ASynchronousOneDoes) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kNone});

  EXPECT_EQ(WokenWithHint(fair, WakeHint::kSync), 0);
}

TEST(FairPlacementTest, ASynchronousSuccessIsNotCounted) {
  FairMachine fair(kTwoCaches, {.wake_idle_search = WakeIdleSearch::kNone});
  WokenWithHint(fair, WakeHint::kSync);

  EXPECT_EQ(fair.machine().counters().wakeups_moved_affine, 0);
}

TEST(FairPlacementTest, AHintIsNotBelievedOfAWakerThatRunsOn) {
  FairMachine fair(kTwoCaches, {.wake_affine_rule = WakeAffineRule::kOverlapSync,
                                .wake_idle_search = WakeIdleSearch::kNone});

  EXPECT_EQ(WokenWithHint(fair, WakeHint::kSync, SimDuration(600'000)), 4);
}

// The waking CPU is idle, the previous one has a light task.
CpuNumber AttractedByAnIdleCpu(WakeAffineRule rule) {
  FairMachine fair(kTwoCaches,
                   {.wake_affine_rule = rule, .wake_idle_search = WakeIdleSearch::kNone});
  fair.Queue(4, 19);
  return WokenBy(fair, 0, 4);
}

TEST(FairPlacementTest, AnIdleWakingCpuAlwaysAttracts) {
  EXPECT_EQ(AttractedByAnIdleCpu(WakeAffineRule::kOverlapSync), 0);
}

TEST(FairPlacementTest, ButNotIn2631) {
  EXPECT_EQ(AttractedByAnIdleCpu(WakeAffineRule::kOverlapSyncLoaded), 4);
}

TEST(FairPlacementTest, PassiveBalanceTakesATaskFromABusierCpu) {
  FairMachine fair(kTwoCaches, {.wake_affine = OnOff::kOff,
                                .wake_slow_path = WakeSlowPath::kPassiveBalance,
                                .wake_idle_search = WakeIdleSearch::kNone,
                                .domain_constants = DomainConstants::kFrom2631});
  fair.Queue(0);
  fair.QueueMany(4, 2);
  for (const CpuNumber cpu : {0, 4}) {
    fair.state().Queue(cpu).load_history.fill(CpuLoad(fair.state(), cpu));
  }

  EXPECT_EQ(WokenBy(fair, 0, 4), 0);
  EXPECT_EQ(fair.machine().counters().wakeups_moved_balance, 1);
}

TEST(FairPlacementTest, ForAWeekOf2009AWakeupLookedForTheIdlestCpu) {
  FairMachine fair(kTwoCaches, {.wake_affine = OnOff::kOff,
                                .wake_slow_path = WakeSlowPath::kIdlestWalk,
                                .wake_idle_search = WakeIdleSearch::kNone});
  fair.QueueMany(0, 2);
  fair.QueueMany(1, 1);

  EXPECT_EQ(WokenBy(fair, 0, 0), 0);
  EXPECT_GE(WokenBy(fair, 0, 1), 4);
}

TEST(FairPlacementTest, ANewTaskLeavesALevelThatHasRoom) {
  FairMachine fair(kTwoCaches);
  fair.Execute(0);

  EXPECT_GE(SelectCpuForNew(fair.state(), fair.Sleeper(0), {.cpu = 0}), 4);
}

TEST(FairPlacementTest, UnlessThatLevelPrefersToKeepIt) {
  FairMachine fair(kTwoCaches, {.prefer_local = PreferLocal::kMcAndCpu});
  fair.Execute(0);

  EXPECT_EQ(SelectCpuForNew(fair.state(), fair.Sleeper(0), {.cpu = 0}), 0);
}

// Overload on Wakeup: its node is full, and the search looks no further.
CpuNumber WokenBesideAnIdleCache(const Switches& switches) {
  FairMachine fair(kTwoCaches, switches);
  for (const CpuNumber cpu : {0, 1, 2, 3}) fair.Queue(cpu);
  fair.state().balance.idle_since[5] = SimTime(SimDuration(-1));
  return WokenBy(fair, 0, 1);
}

TEST(FairPlacementTest, AWakeupStaysUnderABusyCache) { EXPECT_EQ(WokenBesideAnIdleCache({}), 1); }

TEST(FairPlacementTest, OrGoesWhereACpuHasBeenIdleLongest) {
  EXPECT_EQ(WokenBesideAnIdleCache({.wakeup_fallback = WakeupFallback::kLongestIdle}), 5);
}

class WakeListTest : public ::testing::Test {
 protected:
  WakeListTest() : fair_(kTwoCaches, {.remote_wakeup = RemoteWakeup::kWakeList}) {}

  FairMachine fair_;
};

TEST_F(WakeListTest, OnlyCpusOfAnotherCacheQueueTheirWakeupsThemselves) {
  EXPECT_FALSE(GoesToWakeList(fair_.state(), 0, 3));
  EXPECT_TRUE(GoesToWakeList(fair_.state(), 0, 4));
}

TEST_F(WakeListTest, ACpuThatHasToIsNotIdle) {
  PutOnWakeList(fair_.state(), 4, fair_.Sleeper(4), 0);

  EXPECT_FALSE(fair_.state().IsIdleCpu(4));
}

TEST_F(WakeListTest, OneInterruptIsEnoughForAll) {
  PutOnWakeList(fair_.state(), 4, fair_.Sleeper(4), 0);
  PutOnWakeList(fair_.state(), 4, fair_.Sleeper(5), 0);

  EXPECT_EQ(fair_.machine().counters().ipis, 1);
  EXPECT_EQ(TakeWakeList(fair_.state(), 4).size(), 2U);
  EXPECT_TRUE(fair_.state().IsIdleCpu(4));
}

SimDuration LocksOfAWakeup(RemoteWakeup rule) {
  Topology topology = testing::FreeTopology(kTwoCaches);
  topology.costs.queue_lock_ns = 10;
  FairMachine fair(topology, {.remote_wakeup = rule});
  ChargeWakeupLocks(fair.state(), 0, 1, 4);
  return fair.machine().times(0).overhead;
}

TEST(FairPlacementTest, AWakeupTakesTheLockOfTheQueueThatTheTaskSleptOn) {
  EXPECT_EQ(LocksOfAWakeup(RemoteWakeup::kSourceLock), SimDuration(20));
}

TEST(FairPlacementTest, OrNot) {
  EXPECT_EQ(LocksOfAWakeup(RemoteWakeup::kImmediate), SimDuration(0));
}

}  // namespace
}  // namespace schedlab::sim::fair
