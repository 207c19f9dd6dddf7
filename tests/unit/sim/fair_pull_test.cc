#include <gtest/gtest.h>

#include "sim/fair/groups.h"
#include "sim/fair/pull.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kOneTask = 1'024;
constexpr std::int64_t kTooLittle = 1;  // for any task of nice 0

Topology WithScanCost() {
  Topology topology = testing::FreeTopology("package:4");
  topology.costs.scan_task_ns = 10;
  return topology;
}

TEST(FairPullTest, OnAListWithTheNewestAtTheHeadTheNewestMovesFirst) {
  FairMachine fair("package:4");
  fair.Queue(0);
  const Task& newest = fair.Queue(0);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, kOneTask);

  EXPECT_EQ(Pull(fair.state(), pass, 0).moved_count, 1);
  EXPECT_EQ(newest.cpu, 1);
}

TEST(FairPullTest, OnAListWithTheNewestAtTheTailTheOldestMovesFirst) {
  FairMachine fair("package:4", {.pull_list = PullList::kPerCpuTail});
  const Task& oldest = fair.Queue(0);
  fair.Queue(0);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, kOneTask);

  EXPECT_EQ(Pull(fair.state(), pass, 0).moved_count, 1);
  EXPECT_EQ(oldest.cpu, 1);
}

TEST(FairPullTest, OnAListOfRecentTasksTheOneThatRanLastMovesLast) {
  FairMachine fair("package:4", {.pull_list = PullList::kPerCpuRecent});
  const Task& ran_last = fair.Execute(0);
  const Task& other = fair.Queue(0);
  fair.LetCachesCool();
  PutCurrent(fair.state(), 0);
  ListMoveToFront(fair.state().Queue(0), fair.machine().tasks().front());
  Pass pass = fair.PassFor(1, kOneTask);

  EXPECT_EQ(Pull(fair.state(), pass, 0).moved_count, 1);
  EXPECT_EQ(ran_last.cpu, 0);
  EXPECT_EQ(other.cpu, 1);
}

TEST(FairPullTest, AVisitLooksAtThirtyTwoTasks) {
  FairMachine fair(WithScanCost());
  fair.QueueMany(0, 100);
  Pass pass = fair.PassFor(1, kTooLittle);
  Pull(fair.state(), pass, 0);

  EXPECT_EQ(fair.machine().times(1).overhead, SimDuration(32 * 10));
}

TEST(FairPullTest, AVisitWithoutThatBoundLooksAtTheWholeQueue) {
  FairMachine fair(WithScanCost(), {.pull_bound = PullBound::kNrRunning});
  fair.QueueMany(0, 100);
  Pass pass = fair.PassFor(1, kTooLittle);
  Pull(fair.state(), pass, 0);

  // At each of three breaks the kernel counts a task that it has not looked at.
  EXPECT_EQ(fair.machine().times(1).overhead, SimDuration((100 - 3) * 10));
}

TEST(FairPullTest, ABreakMayLetThePassBeginAnewAfterThirtyTwoTasks) {
  FairMachine fair(WithScanCost(),
                   {.pull_bound = PullBound::kNrRunning, .pull_break = PullBreak::kRedo});
  fair.QueueMany(0, 100);
  Pass pass = fair.PassFor(1, kTooLittle);

  EXPECT_EQ(Pull(fair.state(), pass, 0).end, PullEnd::kRestart);
  EXPECT_EQ(fair.machine().times(1).overhead, SimDuration(32 * 10));
}

TEST(FairPullTest, TheFourthBreakEndsThePassAsBalanced) {
  FairMachine fair("package:4", {.pull_list = PullList::kPerGroup,
                                 .pull_bound = PullBound::k33PerList,
                                 .pull_break = PullBreak::kRedo3Times});
  fair.QueueMany(0, 100);
  Pass pass = fair.PassFor(1, 400);
  const PullEnd first = Pull(fair.state(), pass, 0).end;
  Pull(fair.state(), pass, 0);
  const PullEnd third = Pull(fair.state(), pass, 0).end;

  EXPECT_EQ(first, PullEnd::kRestart);
  EXPECT_EQ(third, PullEnd::kRestart);
  EXPECT_EQ(Pull(fair.state(), pass, 0).end, PullEnd::kBalanced);
}

TEST(FairPullTest, WithAbortsTheEndOfAQueueMakesThePassABalancedOne) {
  FairMachine fair("package:4", {.pull_bound = PullBound::kNrRunning,
                                 .pull_break = PullBreak::kRedo,
                                 .abort_as_balanced = OffOn::kOn});
  fair.QueueMany(0, 3);
  fair.LetCachesCool();
  fair.QueueMany(0, 2);
  Pass pass = fair.PassFor(1, 8'000);
  const PullOutcome outcome = Pull(fair.state(), pass, 0);

  EXPECT_EQ(outcome.end, PullEnd::kBalanced);
  EXPECT_EQ(outcome.moved_count, 3);
}

TEST(FairPullTest, TheStricterSizeTestRefusesATaskOfTheWantedSize) {
  FairMachine fair("package:4", {.pull_size_test = PullSizeTest::kDoubleLoad});
  fair.QueueMany(0, 2);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, kOneTask);

  EXPECT_EQ(Pull(fair.state(), pass, 0).moved_count, 0);
}

TEST(FairPullTest, ALightTaskStaysUntilAPassHasFailed) {
  FairMachine fair("package:4", {.small_task_filter = OffOn::kOn, .load_view = LoadView::kWeight});
  fair.Queue(0, 19);
  fair.Queue(0, 19);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, 20);
  const std::int32_t at_first = Pull(fair.state(), pass, 0).moved_count;
  fair.state().domains.Of(1)[0].failed_count = 1;
  pass = fair.PassFor(1, 20);

  EXPECT_EQ(at_first, 0);
  EXPECT_GT(Pull(fair.state(), pass, 0).moved_count, 0);
}

TEST(FairPullTest, WithAffinityAskedLastAQueueOfLargeTasksCountsAsPinned) {
  FairMachine fair("package:4", {.all_pinned_rule = AllPinnedRule::kFiltersFirst});
  fair.QueueMany(0, 2);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, kTooLittle);

  EXPECT_TRUE(Pull(fair.state(), pass, 0).all_pinned);
}

TEST(FairPullTest, WithAffinityAskedFirstItDoesNot) {
  FairMachine fair("package:4");
  fair.QueueMany(0, 2);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, kTooLittle);

  EXPECT_FALSE(Pull(fair.state(), pass, 0).all_pinned);
}

TEST(FairPullTest, APreemptibleKernelTakesOneTaskWhenNewlyIdle) {
  FairMachine fair("package:4", {.preemption = Preemption::kFull});
  fair.QueueMany(0, 8);
  fair.LetCachesCool();
  Pass pass = fair.PassFor(1, 4 * kOneTask, IdleType::kNewlyIdle);

  EXPECT_EQ(Pull(fair.state(), pass, 0).moved_count, 1);
}

TEST(FairPullTest, HotTasksThatMoveAfterFailuresAreCounted) {
  FairMachine fair("package:4");
  fair.QueueMany(0, 2);
  fair.state().domains.Of(1)[0].failed_count = 2;
  Pass pass = fair.PassFor(1, kOneTask);
  Pull(fair.state(), pass, 0);

  EXPECT_EQ(fair.Counters(1, 0, IdleType::kIdle).gained, 1);
  EXPECT_EQ(fair.Counters(1, 0, IdleType::kIdle).hot_gained, 1);
}

class GroupListTest : public ::testing::Test {
 protected:
  GroupListTest()
      : fair_("package:4", {.pull_list = PullList::kPerGroup,
                            .pull_bound = PullBound::k33PerList,
                            .pull_break = PullBreak::kRedo3Times,
                            .load_view = LoadView::kWeight,
                            .group_task_load = GroupTaskLoad::kHierarchical}) {
    group_.index = 1;
    group_.parent = &root_;
    ApplyGroup(fair_.state(), root_);
  }
  void MakeGroup(std::int64_t shares) {
    group_.shares = shares;
    ApplyGroup(fair_.state(), group_);
  }

  TaskGroup root_;
  TaskGroup group_;
  FairMachine fair_;
};

// Half of the group's part of the CPU is half of its tasks.
TEST_F(GroupListTest, TheWantedLoadIsConvertedIntoTheUnitsOfTheGroup) {
  MakeGroup(1'024);
  for (int i = 0; i < 10; ++i) fair_.QueueIn(group_, 0);
  fair_.LetCachesCool();
  Pass pass = fair_.PassFor(1, 512);
  const PullOutcome outcome = Pull(fair_.state(), pass, 0);

  EXPECT_EQ(outcome.moved_count, 5);
  EXPECT_FALSE(outcome.counts_as_failure);
}

TEST_F(GroupListTest, TasksWhosePartOfTheCpuIsRoundedToNothingCountAsAFailure) {
  MakeGroup(2);
  for (int i = 0; i < 3; ++i) fair_.QueueIn(group_, 0);
  fair_.LetCachesCool();
  Pass pass = fair_.PassFor(1, 1);
  const PullOutcome outcome = Pull(fair_.state(), pass, 0);

  EXPECT_GT(outcome.moved_count, 0);
  EXPECT_TRUE(outcome.counts_as_failure);
}

// Of 64 tasks 63 are looked at, 32 before the break.
TEST(FairPullTest, WhoWaitsForTheQueueGetsInAtABreak) {
  Topology topology = WithScanCost();
  topology.costs.queue_lock_ns = 1;
  FairMachine fair(topology, {.pull_bound = PullBound::kNrRunning});
  fair.QueueMany(0, 64);
  Pass pass = fair.PassFor(1, kTooLittle);
  Pull(fair.state(), pass, 0);
  const SimDuration before = fair.machine().times(1).overhead;
  fair.machine().ChargeLock(3, 0, 0);

  EXPECT_EQ(before, SimDuration(63 * 10 + 2 * 2));
  EXPECT_EQ(fair.machine().times(3).overhead, SimDuration(32 * 10 + 2 + 1));
  EXPECT_EQ(fair.machine().times(1).overhead, before + SimDuration(1));
}

}  // namespace
}  // namespace schedlab::sim::fair
