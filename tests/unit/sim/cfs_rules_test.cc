#include <gtest/gtest.h>

#include "sim/fair/cfs.h"
#include "sim/fair/waker.h"
#include "tests/unit/sim/fair_fixture.h"

namespace schedlab::sim::fair {
namespace {

using std::chrono::milliseconds;

Tunables TunablesOf(TunableBase base, TunableScaling scaling, std::int32_t cpu_count) {
  return MakeTunables({.tunable_scaling = scaling, .tunable_base = base}, cpu_count);
}

TEST(TunablesTest, TheConstantsOf2631GrowWithAllCpus) {
  const Tunables tunables = TunablesOf(TunableBase::kFrom2631, TunableScaling::kLogUncapped, 16);

  EXPECT_EQ(tunables.latency, milliseconds(100));
  EXPECT_EQ(tunables.min_granularity, milliseconds(20));
  EXPECT_EQ(tunables.wakeup_granularity, milliseconds(25));
  EXPECT_EQ(tunables.latency_task_count, 5);
}

TEST(TunablesTest, TheUncappedLatencyEndsAt200Ms) {
  const Tunables tunables = TunablesOf(TunableBase::kFrom2631, TunableScaling::kLogUncapped, 1'024);

  EXPECT_EQ(tunables.latency, milliseconds(200));
}

TEST(TunablesTest, TheConstantsOf2632ShrinkByAFifthOn16CpusOnceTheyGrowToEight) {
  const Tunables before = TunablesOf(TunableBase::kFrom2632, TunableScaling::kLogUncapped, 16);
  const Tunables after = TunablesOf(TunableBase::kFrom2632, TunableScaling::kLogCap8, 16);

  EXPECT_EQ(before.latency, milliseconds(25));
  EXPECT_EQ(before.wakeup_granularity, milliseconds(5));
  EXPECT_EQ(after.latency, milliseconds(20));
  EXPECT_EQ(after.min_granularity, milliseconds(4));
}

TEST(TunablesTest, TheConstantsOf2635HaveThreeTasksInAPeriod) {
  const Tunables tunables = TunablesOf(TunableBase::kFrom2635, TunableScaling::kNone, 16);

  EXPECT_EQ(tunables.latency, milliseconds(6));
  EXPECT_EQ(tunables.min_granularity, milliseconds(2));
  EXPECT_EQ(tunables.latency_task_count, 3);
}

TEST(TunablesTest, TheConstantsOf2636MakeA3MsBaseSliceOn16Cpus) {
  const Tunables tunables = TunablesOf(TunableBase::kFrom2636, TunableScaling::kLogCap8, 16);

  EXPECT_EQ(tunables.latency, milliseconds(24));
  EXPECT_EQ(tunables.wakeup_granularity, milliseconds(4));
  EXPECT_EQ(tunables.base_slice, milliseconds(3));
}

class CfsTest : public FairFixture {
 protected:
  explicit CfsTest(const Switches& switches = {}) : FairFixture(switches) {}

  // One of two tasks runs; the other sleeps, with the same vruntime.
  void StartTwo() {
    Task& a = AddTask();
    Task& b = AddTask();
    running_ = PickOn(0);
    sleeper_ = running_ == &a ? &b : &a;
    Sleep(*sleeper_);
    sleeper_->fair.vruntime = running_->fair.vruntime;
  }
  Task* running_ = nullptr;
  Task* sleeper_ = nullptr;

  // One task runs for long while another sleeps and then wakes. Returns how far before the least
  // vruntime the sleeper comes back.
  double CreditOfASleeper() {
    Task& sleeper = AddTask();
    AddTask();
    PickOn(0);
    Sleep(sleeper);
    PickOn(0);
    Run(500);
    WakeOn(0, sleeper);
    return Ms(SimDuration(RootQueue().min_vruntime - sleeper.fair.vruntime));
  }
};

TEST_F(CfsTest, ASleeperIsCreditedHalfALatency) { EXPECT_NEAR(CreditOfASleeper(), 12.0, 0.001); }

class FullCreditTest : public CfsTest {
 protected:
  FullCreditTest() : CfsTest({.sleeper_credit = SleeperCredit::kFull}) {}
};
TEST_F(FullCreditTest, ASleeperIsCreditedAWholeLatency) {
  EXPECT_NEAR(CreditOfASleeper(), 24.0, 0.001);
}

class NoCreditTest : public CfsTest {
 protected:
  NoCreditTest() : CfsTest({.sleeper_credit = SleeperCredit::kNone}) {}
};
TEST_F(NoCreditTest, ASleeperIsCreditedNothing) { EXPECT_NEAR(CreditOfASleeper(), 0.0, 0.001); }

TEST_F(CfsTest, ANewTaskStartsBehindItsParentByItsSlice) {
  Task& parent = AddTask();
  PickOn(0);
  Run(30);
  Task& child = AddTask();

  EXPECT_EQ(child.fair.vruntime - RootQueue().min_vruntime, Ns(state_.tunables.latency / 2));
  EXPECT_LT(parent.fair.vruntime, child.fair.vruntime);
  EXPECT_FALSE(machine_.NeedsReschedule(0));
}

class ChildFirstTest : public CfsTest {
 protected:
  ChildFirstTest() : CfsTest({.child_runs_first = OffOn::kOn}) {}
};
TEST_F(ChildFirstTest, ANewTaskTradesPlacesWithItsParent) {
  Task& parent = AddTask();
  PickOn(0);
  Run(30);
  Task& child = AddTask();

  EXPECT_LT(child.fair.vruntime, parent.fair.vruntime);
  EXPECT_TRUE(machine_.NeedsReschedule(0));
  EXPECT_EQ(PickOn(0), &child);
}

TEST_F(CfsTest, AWakeeMustBeBehindByTheGranularityToPreempt) {
  StartTwo();
  Advance(3'999);
  WakeOn(0, *sleeper_);
  EXPECT_FALSE(machine_.NeedsReschedule(0));

  Sleep(*sleeper_);
  Advance(2);
  WakeOn(0, *sleeper_);

  EXPECT_TRUE(machine_.NeedsReschedule(0));
}

class AdaptiveGranularityTest : public CfsTest {
 protected:
  AdaptiveGranularityTest() : CfsTest({.wakeup_granularity = WakeupGranularity::kAdaptive}) {}
};
// It expects to run for 2 x 2 x 0.1 ms; the running task has done more than that already.
TEST_F(AdaptiveGranularityTest, ATaskThatWakesOthersOftenPreemptsAtOnce) {
  StartTwo();
  sleeper_->fair.average_wakeup = SimDuration(100'000);
  Advance(500);
  WakeOn(0, *sleeper_);

  EXPECT_TRUE(machine_.NeedsReschedule(0));
}

TEST_F(AdaptiveGranularityTest, ATaskThatWakesNobodyNeedsTheWholeGranularity) {
  StartTwo();
  Advance(500);
  WakeOn(0, *sleeper_);

  EXPECT_FALSE(machine_.NeedsReschedule(0));
}

TEST_F(CfsTest, WakersAverageTheTimeBetweenTheirWakeupsByAnEighth) {
  Task& task = AddTask();
  task.fair.average_wakeup = SimDuration(800);
  task.fair.sum_exec = SimDuration(1'600);
  NoteWokenUp(task);
  task.fair.sum_exec = SimDuration(3'200);
  machine_.StartRunning(0, task);
  NoteWakeupBy(state_, {.cpu = 0, .task = &task});

  EXPECT_EQ(task.fair.average_wakeup, SimDuration(900));
}

TEST_F(CfsTest, ASleeperThatWokeNobodyCountsAsRareWaker) {
  Task& task = AddTask();
  task.fair.average_wakeup = SimDuration(0);
  NoteSleep(state_, task);

  EXPECT_EQ(task.fair.average_wakeup, state_.tunables.wakeup_granularity / 8);
  EXPECT_EQ(task.fair.average_overlap, SimDuration(0));
}

TEST_F(CfsTest, OverlapIsWhatATaskExecutesAfterItsLastWakeup) {
  Task& task = AddTask();
  task.fair.sum_exec_at_wakeup = SimDuration(1'000);
  task.fair.sum_exec = SimDuration(9'000);
  NoteSleep(state_, task);
  EXPECT_EQ(task.fair.average_overlap, SimDuration(1'000));

  task.fair.sum_exec_at_pick = SimDuration(1'000);
  task.fair.average_overlap = SimDuration(0);
  NoteTurnEnded(state_, task);

  EXPECT_EQ(task.fair.average_overlap, SimDuration(1'000));
}

// A wakee preempts, of nine tasks; who is the buddy of whom?
class BuddyTest : public CfsTest {
 protected:
  explicit BuddyTest(const Switches& switches = {}) : CfsTest(switches) {}
  void PreemptOneOfNine() {
    for (int i = 0; i < 9; ++i) AddTask();
    wakee_ = &AddTask();
    preempted_ = PickOn(0);
    if (preempted_ == wakee_) preempted_ = nullptr;
    Sleep(*wakee_);
    Advance(1'000);
    wakee_->fair.vruntime = RootQueue().min_vruntime - 100'000'000;
    WakeOn(0, *wakee_);
  }
  Task* wakee_ = nullptr;
  Task* preempted_ = nullptr;
};
TEST_F(BuddyTest, APreemptionMakesTheWakeeNextAndThePreemptedTaskLast) {
  PreemptOneOfNine();

  EXPECT_TRUE(machine_.NeedsReschedule(0));
  EXPECT_EQ(RootQueue().next_buddy, &wakee_->fair);
  EXPECT_EQ(RootQueue().last_buddy, &preempted_->fair);
}

class LastOnlyTest : public BuddyTest {
 protected:
  LastOnlyTest() : BuddyTest({.buddies = Buddies::kLastOnly}) {}
};
TEST_F(LastOnlyTest, APreemptionMakesOnlyThePreemptedTaskABuddy) {
  PreemptOneOfNine();

  EXPECT_EQ(RootQueue().next_buddy, nullptr);
  EXPECT_EQ(RootQueue().last_buddy, &preempted_->fair);
}

class LastAlwaysTest : public BuddyTest {
 protected:
  LastAlwaysTest() : BuddyTest({.buddies = Buddies::kLastAlways}) {}
};
TEST_F(LastAlwaysTest, EveryWakeupThatIsConsideredMakesBuddies) {
  StartTwo();
  WakeOn(0, *sleeper_);

  EXPECT_FALSE(machine_.NeedsReschedule(0));
  EXPECT_EQ(RootQueue().next_buddy, &sleeper_->fair);
  EXPECT_EQ(RootQueue().last_buddy, &running_->fair);
}

TEST_F(BuddyTest, ATaskThatIsAheadByItsSliceLeavesAtTheTick) {
  StartTwo();
  WakeOn(0, *sleeper_);
  running_->fair.vruntime += 100'000'000;
  Run(4);

  EXPECT_NE(state_.Queue(0).current, running_);
}

TEST_F(LastAlwaysTest, ATaskThatIsAheadByItsSliceStaysUntilItsSliceIsOver) {
  StartTwo();
  WakeOn(0, *sleeper_);
  running_->fair.vruntime += 100'000'000;
  Run(4);

  EXPECT_EQ(state_.Queue(0).current, running_);
}

class PolicyTest : public CfsTest {
 protected:
  void WakeAgainstRunning(SchedPolicy running, SchedPolicy wakee) {
    StartTwo();
    running_->attributes.policy = running;
    sleeper_->attributes.policy = wakee;
    Advance(10'000);
    WakeOn(0, *sleeper_);
  }
};
TEST_F(PolicyTest, ANormalWakeePreempts) {
  WakeAgainstRunning(SchedPolicy::kNormal, SchedPolicy::kNormal);
  EXPECT_TRUE(machine_.NeedsReschedule(0));
}
TEST_F(PolicyTest, ABatchWakeeDoesNotPreempt) {
  WakeAgainstRunning(SchedPolicy::kNormal, SchedPolicy::kBatch);
  EXPECT_FALSE(machine_.NeedsReschedule(0));
}
TEST_F(PolicyTest, AnIdlePolicyWakeeDoesNotPreempt) {
  WakeAgainstRunning(SchedPolicy::kNormal, SchedPolicy::kIdle);
  EXPECT_FALSE(machine_.NeedsReschedule(0));
}
TEST_F(PolicyTest, AnIdlePolicyTaskIsPreemptedByABatchWakee) {
  WakeAgainstRunning(SchedPolicy::kIdle, SchedPolicy::kBatch);
  EXPECT_TRUE(machine_.NeedsReschedule(0));
}

// Two groups of one task each, one of them two levels down: the groups are compared, not the tasks.
TEST_F(CfsTest, PreemptionComparesTheGroupsThatShareAParent) {
  TaskGroup& outer = AddGroup(root(), 1'024);
  Task& deep = AddTaskTo(0, AddGroup(outer, 1'024));
  Task& shallow = AddTaskTo(0, AddGroup(root(), 1'024));
  while (PickOn(0) != &deep) Run(1);
  Sleep(shallow);
  Run(100);
  WakeOn(0, shallow);

  EXPECT_TRUE(machine_.NeedsReschedule(0));
  EXPECT_EQ(PickOn(0), &shallow);
}

// Half of the period for the group, a quarter of that for one of its four tasks.
TEST_F(CfsTest, ASliceIsAPartOfTheGroupsSlice) {
  TaskGroup& group = AddGroup(root(), 1'024);
  Task& one = AddTaskTo(0, group);
  for (int i = 0; i < 3; ++i) AddTaskTo(0, group);
  AddTask();

  EXPECT_EQ(SliceOf(state_, *one.fair.queue, one.fair), milliseconds(3));
}

}  // namespace
}  // namespace schedlab::sim::fair
