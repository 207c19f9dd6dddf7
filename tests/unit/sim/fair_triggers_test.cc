#include <gtest/gtest.h>

#include "sim/fair/load_history.h"
#include "sim/fair/nohz.h"
#include "sim/fair/triggers.h"
#include "sim/make_workload.h"
#include "sim/run.h"
#include "tests/unit/sim/fair_machine.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim::fair {
namespace {

constexpr auto kThreads = "package:2 core:2 pu:2";

// CPU 0 runs dry beside a busy sibling, while CPU 2 has tasks waiting.
bool PullsPastItsSibling(const Switches& switches) {
  FairMachine fair(kThreads, switches);
  fair.Execute(1);
  fair.QueueMany(2, 4);
  fair.LetCachesCool();
  return BalanceNewlyIdle(fair.state(), 0);
}

TEST(FairTriggersTest, ACpuThatRunsDryClimbsPastItsBusySibling) {
  EXPECT_TRUE(PullsPastItsSibling({}));
}

TEST(FairTriggersTest, UnlessThatEndsTheSearch) {
  EXPECT_FALSE(PullsPastItsSibling({.newidle_smt_early_stop = OffOn::kOn}));
}

TEST(FairTriggersTest, ALevelThatTakesNoPartIsNotLookedAt) {
  EXPECT_FALSE(PullsPastItsSibling({.newidle_levels = NewidleLevels::kSmtAndAllnodes}));
}

bool PullsAtFirst(NewidleGate gate) {
  FairMachine fair("package:4", {.newidle_gate = gate});
  fair.QueueMany(2, 4);
  fair.LetCachesCool();
  return BalanceNewlyIdle(fair.state(), 0);
}

TEST(FairTriggersTest, AFreshCpuCountsAsIdleLongEnough) {
  EXPECT_TRUE(PullsAtFirst(NewidleGate::kAvgIdle));
}

TEST(FairTriggersTest, OrNotUntilWakeupsHaveShownIt) {
  EXPECT_FALSE(PullsAtFirst(NewidleGate::kAvgIdleFromZero));
}

// All tasks of CPU 2 are hot, so a pass finds an imbalance and moves nothing.
const Domain& AfterAFailedPass(FairMachine& fair) {
  fair.QueueMany(2, 4);
  BalanceNewlyIdle(fair.state(), 0);
  return fair.state().domains.Of(0)[0];
}

TEST(FairTriggersTest, FailuresOfNewlyIdlePassesAreNotRemembered) {
  FairMachine fair("package:4");

  EXPECT_EQ(AfterAFailedPass(fair).failed_count, 0);
  EXPECT_EQ(fair.Counters(0, 0, IdleType::kNewlyIdle).failed, 1);
}

TEST(FairTriggersTest, OrTheyAre) {
  FairMachine fair("package:4", {.newidle_failures = NewidleFailures::kCounted});

  EXPECT_EQ(AfterAFailedPass(fair).failed_count, 1);
}

TEST(FairTriggersTest, APassSaysHowMuchItFound) {
  FairMachine fair("package:4");
  AfterAFailedPass(fair);

  EXPECT_GT(fair.Counters(0, 0, IdleType::kNewlyIdle).imbalance_load, 0);
  EXPECT_EQ(fair.Counters(0, 0, IdleType::kNewlyIdle).no_busy_group, 0);
}

TEST(FairTriggersTest, OrThatItFoundNoGroup) {
  FairMachine fair("package:4");
  BalanceNewlyIdle(fair.state(), 0);

  EXPECT_EQ(fair.Counters(0, 0, IdleType::kNewlyIdle).no_busy_group, 1);
  EXPECT_EQ(fair.Counters(0, 0, IdleType::kNewlyIdle).balanced, 1);
}

std::int64_t IntervalAfterABalancedNewlyIdlePass(NewidleInterval rule) {
  FairMachine fair("package:4", {.newidle_interval = rule});
  BalanceNewlyIdle(fair.state(), 0);
  return fair.state().domains.Of(0)[0].interval_ms;
}

TEST(FairTriggersTest, ABalancedNewlyIdlePassLengthensTheInterval) {
  EXPECT_EQ(IntervalAfterABalancedNewlyIdlePass(NewidleInterval::kLengthens), 2);
}

TEST(FairTriggersTest, OrLeavesItAlone) {
  EXPECT_EQ(IntervalAfterABalancedNewlyIdlePass(NewidleInterval::kKept), 1);
}

std::int64_t IntervalAfterAFailedNewlyIdlePass(NewidleInterval rule) {
  FairMachine fair("package:4", {.newidle_interval = rule});
  fair.state().domains.Of(0)[0].interval_ms = 4;
  return AfterAFailedPass(fair).interval_ms;
}

TEST(FairTriggersTest, AFailedNewlyIdlePassShortensTheInterval) {
  EXPECT_EQ(IntervalAfterAFailedNewlyIdlePass(NewidleInterval::kKept), 1);
}

TEST(FairTriggersTest, OrLeavesItAloneToo) {
  EXPECT_EQ(IntervalAfterAFailedNewlyIdlePass(NewidleInterval::kUntouched), 4);
}

SimDuration WaitForACpuThatRunsDry(NewidleLock lock) {
  Topology topology = testing::FreeTopology("package:4");
  topology.costs.balance_pass_ns = 1'000;
  topology.costs.queue_lock_ns = 10;
  FairMachine fair(topology, {.newidle_lock = lock});
  BalanceNewlyIdle(fair.state(), 0);
  fair.machine().ChargeLock(1, 0, 0);
  return fair.machine().counters().lock_wait;
}

TEST(FairTriggersTest, OthersMayQueueAtACpuThatLooksForWork) {
  EXPECT_EQ(WaitForACpuThatRunsDry(NewidleLock::kDropped), SimDuration(0));
}

TEST(FairTriggersTest, OrWaitUntilItHasLooked) {
  EXPECT_EQ(WaitForACpuThatRunsDry(NewidleLock::kHeld), SimDuration(1'000));
}

TEST(FairTriggersTest, ACpuThatRunsDryPassesItsLockWaitOn) {
  Topology topology = testing::FreeTopology("package:4");
  topology.costs.queue_lock_ns = 10;
  FairMachine fair(topology);
  fair.QueueMany(2, 4);
  fair.LetCachesCool();
  fair.machine().ChargeLock(3, 2, 500);
  BalanceNewlyIdle(fair.state(), 0);

  EXPECT_EQ(fair.machine().counters().newidle_lock_wait, SimDuration(510));
}

// The level above the nodes is balanced by one CPU of the machine at a time.
TEST(FairTriggersTest, NodesAreNotBalancedTwiceAtOnce) {
  Topology topology = testing::FreeTopology("numa:2");
  topology.costs.balance_pass_ns = 1'000;
  FairMachine fair(topology);
  fair.LetCachesCool();
  RunDuePasses(fair.state(), 0, 0, IdleType::kIdle);
  RunDuePasses(fair.state(), 1, 1, IdleType::kIdle);

  EXPECT_EQ(fair.Counters(0, 0, IdleType::kIdle).count, 1);
  EXPECT_EQ(fair.Counters(1, 0, IdleType::kIdle).count, 0);
}

class IdleOwnerTest : public ::testing::Test {
 protected:
  IdleOwnerTest() : fair_("package:4", {.nohz_balancer = NohzBalancer::kOwner}) {
    fair_.Execute(0);
    for (const CpuNumber cpu : {1, 2, 3}) MarkTickless(fair_.state(), cpu);
  }
  CpuNumber Owner() { return fair_.state().balance.idle_owner; }

  FairMachine fair_;
};

TEST_F(IdleOwnerTest, TheFirstCpuThatGoesIdleKeepsItsTick) {
  EXPECT_EQ(Owner(), 1);
  EXPECT_TRUE(fair_.machine().IsPolicyTimerArmed(1));
  EXPECT_FALSE(fair_.machine().IsPolicyTimerArmed(2));
}

TEST_F(IdleOwnerTest, ItBalancesForAllThatAreIdleAtItsTick) {
  fair_.AdvanceTo(Ns(fair_.machine().tick_period()));

  EXPECT_TRUE(HandleIdleTick(fair_.state(), 1, 1));
  EXPECT_EQ(fair_.Counters(1, 0, IdleType::kIdle).count, 1);
  EXPECT_EQ(fair_.Counters(3, 0, IdleType::kIdle).count, 1);
}

TEST_F(IdleOwnerTest, ItGivesUpWhenItGetsWork) {
  NoteIdleEnd(fair_.state(), 1);

  EXPECT_EQ(Owner(), kNoCpu);
}

TEST_F(IdleOwnerTest, ACpuThatWasIdleNamesAnotherAtItsBusyTick) {
  NoteIdleEnd(fair_.state(), 1);
  NoteBusyTick(fair_.state(), 1);
  BalanceForIdleCpus(fair_.state(), 2);

  EXPECT_EQ(fair_.machine().counters().nohz_kicks, 1);
  EXPECT_EQ(Owner(), 2);
}

TEST_F(IdleOwnerTest, NobodyOwnsWhenAllAreIdle) {
  MarkTickless(fair_.state(), 0);
  NoteIdleEnd(fair_.state(), 1);
  MarkTickless(fair_.state(), 1);

  EXPECT_EQ(Owner(), kNoCpu);
}

CpuNumber Kicked(NohzKickTarget target) {
  FairMachine fair("package:4", {.nohz_kick_target = target});
  for (const CpuNumber cpu : {1, 2, 3}) MarkTickless(fair.state(), cpu);
  fair.QueueMany(0, 2);
  fair.Queue(1);
  fair.LetCachesCool();
  NoteBusyTick(fair.state(), 0);
  return fair.state().Queue(2).is_balance_requested ? 2 : kNoCpu;
}

TEST(FairTriggersTest, OnlyTheFirstCpuOfTheMaskIsKicked) {
  EXPECT_EQ(Kicked(NohzKickTarget::kFirstOfMask), kNoCpu);
}

TEST(FairTriggersTest, OrTheFirstThatIsIdle) { EXPECT_EQ(Kicked(NohzKickTarget::kFirstIdle), 2); }

std::int64_t TargetOf(BiasMode mode) {
  FairMachine fair("package:4", {.bias_mode = mode});
  fair.QueueMany(0, 1);
  fair.state().Queue(0).load_history[0] = 5'000;
  return TargetLoad(fair.state(), 0, {.history = 1, .target_percent = 125});
}

TEST(FairTriggersTest, OurOwnSideCountsAsMuchAsItEverDid) {
  EXPECT_EQ(TargetOf(BiasMode::kHistory), 5'000);
}

TEST(FairTriggersTest, OrAQuarterMoreThanItDoesNow) {
  EXPECT_EQ(TargetOf(BiasMode::kPctOnTarget), TargetOf(BiasMode::kNone) * 125 / 100);
}

// Of four tasks on the CPU that balances.
std::int64_t OwnSideInAPass(BiasPercent percent) {
  FairMachine fair("package:4", {.bias_mode = BiasMode::kPctOnTarget, .bias_percent = percent});
  fair.QueueMany(0, 4);
  const Pass pass = fair.PassFor(0, 0);
  const Group& own = *fair.state().domains.Of(0).front().groups.front();
  return MeasureGroup(fair.state(), pass, own, true).load;
}

TEST(FairTriggersTest, ThePercentageOfABiasedPassCanBeSet) {
  EXPECT_EQ(OwnSideInAPass(BiasPercent::k156), OwnSideInAPass(BiasPercent::k100) * 156 / 100);
  EXPECT_EQ(OwnSideInAPass(BiasPercent::kOfLevel), OwnSideInAPass(BiasPercent::k125));
}

// Returns for how many CPUs the levels do not add up.
int CountRemoteWakeupsAstray(const std::string& remote_wakeup) {
  const Scenario scenario =
      ShippedScenario("snb-ep-2s", "hackbench", {{"groups_count", 2}, {"loops_count", 20}});
  const PolicySpec policy = ShippedPolicy("linux-fair", {{"remote_wakeup", remote_wakeup}});
  const auto workload = MakeWorkload(scenario.workload, 1, 32, {});
  Schedstat schedstat;
  const Result<RunResult> result = Run({.topology = scenario.topology,
                                        .policy = policy,
                                        .duration = SimDuration(scenario.duration_ns),
                                        .seed = 1,
                                        .schedstat = &schedstat},
                                       **workload, {});
  EXPECT_TRUE(result.has_value());
  int astray = 0;
  for (const Schedstat::PerCpu& cpu : schedstat.cpus) {
    std::int64_t remote = cpu.counters.wakeups_local;
    for (const DomainReport& domain : cpu.domains) remote += domain.wakeups_remote;
    if (remote != cpu.counters.wakeups) ++astray;
  }
  return astray;
}

TEST(FairTriggersTest, EveryRemoteWakeupIsOnOneLevelOfItsWaker) {
  EXPECT_EQ(CountRemoteWakeupsAstray("immediate"), 0);
}

TEST(FairTriggersTest, SoItIsWhereTheTargetQueuesIt) {
  EXPECT_EQ(CountRemoteWakeupsAstray("wake_list"), 0);
}

}  // namespace
}  // namespace schedlab::sim::fair
