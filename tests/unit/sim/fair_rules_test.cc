#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/fair/group_load.h"
#include "sim/fair/imbalance.h"
#include "sim/fair/placement.h"
#include "sim/fair/pull.h"
#include "sim/fair/queueing.h"
#include "sim/fair/triggers.h"
#include "sim/fair/wake_affine.h"
#include "tests/support/topologies.h"

namespace schedlab::sim::fair {
namespace {

// The rules of the balancer one by one, on a machine where nothing runs by itself.
class FairRulesTest : public ::testing::Test {
 protected:
  explicit FairRulesTest(const std::string& shape = "package:4", const Switches& switches = {})
      : machine_(testing::FreeTopology(shape)), state_(machine_, switches) {}

  Task& AddTaskTo(CpuNumber cpu) {
    Task& task = machine_.AddTask("task", machine_.AllCpus());
    PlaceNew(state_, cpu, task);
    Enqueue(state_, cpu, task, Arrival::kNew);
    return task;
  }
  Pass PassFor(CpuNumber cpu, std::int64_t imbalance) const {
    return {.by = cpu,
            .cpu = cpu,
            .level = 0,
            .idle = IdleType::kIdle,
            .candidates = machine_.AllCpus(),
            .imbalance = imbalance};
  }
  void AdvanceTo(std::int64_t ns) { machine_.events().AdvanceTo(SimTime(SimDuration(ns))); }

  Machine machine_;
  State state_;
};

constexpr std::int64_t kLater = 10'000'000;  // nothing is cache hot any more

TEST_F(FairRulesTest, APullOfNothingLooksAtNoTaskAndCountsAsPinned) {
  Task& first = AddTaskTo(0);
  AddTaskTo(0);
  AdvanceTo(kLater);
  const Task* const head = state_.Queue(0).list_head;
  Pass pass = PassFor(1, 0);
  const PullOutcome outcome = Pull(state_, pass, 0);

  EXPECT_EQ(outcome.moved_count, 0);
  EXPECT_TRUE(outcome.all_pinned);
  EXPECT_EQ(state_.Queue(0).list_head, head);
  EXPECT_EQ(first.cpu, 0);
}

TEST_F(FairRulesTest, ABuddyMovesIfTheExecutingCpuHasNoWorkOfItsOwn) {
  Task& buddy = AddTaskTo(0);
  AddTaskTo(1);
  AdvanceTo(kLater);
  state_.Queue(0).root.next_buddy = &buddy.fair;
  Pass pass = PassFor(1, 1'024);
  pass.by = 2;

  EXPECT_EQ(Pull(state_, pass, 0).moved_count, 1);
}

TEST_F(FairRulesTest, ABuddyStaysIfTheExecutingCpuHasWorkOfItsOwn) {
  Task& buddy = AddTaskTo(0);
  AddTaskTo(2);
  AdvanceTo(kLater);
  state_.Queue(0).root.next_buddy = &buddy.fair;
  Pass pass = PassFor(1, 1'024);
  pass.by = 2;

  EXPECT_EQ(Pull(state_, pass, 0).moved_count, 0);
}

TEST_F(FairRulesTest, EachIdleTaskCountsItsOwnWakees) {
  const Task& a = machine_.AddTask("a", machine_.AllCpus());
  const Task& b = machine_.AddTask("b", machine_.AllCpus());
  NoteWakee(state_, {.cpu = 0}, a);
  NoteWakee(state_, {.cpu = 1}, b);
  NoteWakee(state_, {.cpu = 0}, a);

  EXPECT_EQ(state_.Queue(0).idle_task.wakee_flips, 1);
  EXPECT_EQ(state_.Queue(1).idle_task.wakee_flips, 1);
}

// 100 above the average on one side and below it on the other: less than a task, and too little for
// a whole one to pay.
TEST_F(FairRulesTest, TheRuleForSmallImbalancesLeavesTheComputedOneStanding) {
  Group group;
  group.cpus = {0};
  DomainLoad loads;
  loads.average = 1'000;
  loads.local = {.group = &group, .average = 900, .per_task = 900, .power = 1'024, .task_count = 1};
  loads.busiest = {.group = &group,
                   .average = 1'100,
                   .per_task = 550,
                   .power = 1'024,
                   .task_count = 2,
                   .capacity = 1};

  EXPECT_EQ(ImbalanceOf(state_, PassFor(1, 0), loads), 100);
}

class PreferredSiblingsTest : public FairRulesTest {
 protected:
  PreferredSiblingsTest() : FairRulesTest("package:2 core:4") {}
};

// Clipped to one task, the other group counts as busy, though it has room.
TEST_F(PreferredSiblingsTest, AGroupHasRoomByItsCapacityBeforeTheClip) {
  AddTaskTo(4);
  AddTaskTo(4);
  AddTaskTo(5);
  state_.domains.Of(0)[0].parameters.prefers_siblings = true;
  Pass pass = PassFor(0, 0);
  pass.level = 1;
  pass.idle = IdleType::kNewlyIdle;  // reads loads, not their history
  const DomainLoad loads = MeasureDomain(state_, pass);

  ASSERT_NE(loads.busiest.group, nullptr);
  EXPECT_EQ(loads.busiest.capacity, 1);
  EXPECT_TRUE(loads.busiest.has_room);
}

class NewidleCostTest : public FairRulesTest {
 protected:
  NewidleCostTest()
      : FairRulesTest("numa:2 package:2 core:2 pu:2",
                      {.newidle_cost_decay = NewidleCostDecay::k253Of256PerSecond}) {}
  static constexpr SimDuration kCost{2'560'000};
};

TEST_F(NewidleCostTest, TheQueueDecaysToTheSumOverItsDomains) {
  for (Domain& domain : state_.domains.Of(0)) domain.max_newidle_cost = kCost;
  state_.Queue(0).max_newidle_cost = 100 * kCost;
  AdvanceTo(2'000'000'000);
  BalanceAtTick(state_, 0);

  EXPECT_EQ(state_.Queue(0).max_newidle_cost, 4 * SimDuration(2'530'000));
}

// CPU 1 is not the first of its core, so it is refused at the second level of four.
TEST_F(NewidleCostTest, ALevelThatIsNotClimbedToDecaysToo) {
  AddTaskTo(1);
  Domain& top = state_.domains.Of(1)[3];
  top.max_newidle_cost = kCost;
  AdvanceTo(2'000'000'000);
  BalanceAtTick(state_, 1);

  EXPECT_EQ(top.passes[static_cast<std::size_t>(IdleType::kBusy)].count, 0);
  EXPECT_EQ(top.max_newidle_cost, SimDuration(2'530'000));
}

TEST_F(NewidleCostTest, TheQueueDoesNotDecayBelowTheMigrationCost) {
  AdvanceTo(2'000'000'000);
  BalanceAtTick(state_, 0);

  EXPECT_EQ(state_.Queue(0).max_newidle_cost, state_.tunables.migration_cost);
}

}  // namespace
}  // namespace schedlab::sim::fair
