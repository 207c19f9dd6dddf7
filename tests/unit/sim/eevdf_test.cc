#include "sim/fair/eevdf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/fair/cfs.h"
#include "sim/random_stream.h"
#include "tests/unit/sim/fair_fixture.h"

namespace schedlab::sim::fair {
namespace {

using std::chrono::milliseconds;

// Base slices of 3 ms.
class EevdfTest : public FairFixture {
 protected:
  explicit EevdfTest(Switches switches = {}) : FairFixture(AsEevdf(switches)) {}
  static Switches AsEevdf(Switches switches) {
    switches.pick = Pick::kEevdf;
    return switches;
  }
  std::int64_t Average() { return AverageVruntime(RootQueue()); }
  // How far `task` is behind the average.
  std::int64_t Lag(const Task& task) { return Average() - task.fair.vruntime; }
};

TEST_F(EevdfTest, TheAverageIsWeighted) {
  CfsQueue queue;
  FairEntity light;
  FairEntity heavy;
  light.weight = 1'024;
  light.vruntime = 0;
  heavy.weight = 3'072;
  heavy.vruntime = 4'000;
  AddToAverage(queue, light);
  AddToAverage(queue, heavy);

  EXPECT_EQ(AverageVruntime(queue), 3'000);
  EXPECT_TRUE(IsEligible(queue, light));
  EXPECT_FALSE(IsEligible(queue, heavy));
}

// 1 / 3 of a nanosecond is enough to be ahead.
TEST_F(EevdfTest, EligibilityIsExact) {
  CfsQueue queue;
  FairEntity a;
  FairEntity b;
  FairEntity c;
  b.vruntime = 1;
  c.vruntime = 1;
  for (const FairEntity* each : {&a, &b, &c}) AddToAverage(queue, *each);

  EXPECT_EQ(AverageVruntime(queue), 0);
  EXPECT_TRUE(IsEligible(queue, a));
  EXPECT_FALSE(IsEligible(queue, b));
}

TEST_F(EevdfTest, TheAverageOfNegativeVruntimesIsRoundedDown) {
  CfsQueue queue;
  FairEntity a;
  FairEntity b;
  a.vruntime = -1;
  b.vruntime = 0;
  AddToAverage(queue, a);
  AddToAverage(queue, b);

  EXPECT_EQ(AverageVruntime(queue), -1);
}

TEST_F(EevdfTest, ANewTaskHasHalfARequestAndLaterWholeOnes) {
  Task& task = AddTask();
  EXPECT_EQ(task.fair.deadline - task.fair.vruntime, Ns(milliseconds(3)) / 2);
  PickOn(0);
  Run(2);

  EXPECT_EQ(task.fair.deadline - task.fair.vruntime, Ns(milliseconds(3)));
}

TEST_F(EevdfTest, TheDeadlineOfAHeavyTaskIsNearer) {
  Task& heavy = AddTask(-5);

  EXPECT_EQ(heavy.fair.deadline - heavy.fair.vruntime,
            ToVirtual(SimDuration(3'000'000), WeightOf(-5)) / 2);
}

// a, b and c have equal lags; b asks for less, so it is served first.
TEST_F(EevdfTest, TheEligibleOneWithTheEarliestDeadlineIsChosen) {
  AddTask();
  Task& b = AddTask();
  AddTask();
  b.fair.slice = SimDuration(1'000'000);
  Dequeue(state_, 0, b, Departure::kMoved);
  Enqueue(state_, 0, b, Arrival::kMoved);

  // Moved, it has a whole request of 1 ms; the others have halves of 3 ms.
  EXPECT_EQ(PickOn(0), &b);
}

TEST_F(EevdfTest, ATaskAheadOfTheAverageIsPassedOverWhateverItsDeadline) {
  Task& ahead = AddTask();
  Task& other = AddTask();
  PickOn(0);
  Run(30);
  Task& running = *state_.Queue(0).current;
  Task& waiting = &running == &ahead ? other : ahead;
  Advance(1'000);
  UpdateCurrent(state_, 0);
  running.fair.deadline = running.fair.vruntime + 1;  // earliest by far, but not eligible

  EXPECT_EQ(EarliestEligible(state_, RootQueue()), &waiting.fair);
}

TEST_F(EevdfTest, TheCurrentTaskKeepsTheCpuUntilItsRequestIsServed) {
  Task& first = AddTask();
  Task& second = AddTask();
  ASSERT_EQ(PickOn(0), &first);
  second.fair.slice = SimDuration(100'000);
  Dequeue(state_, 0, second, Departure::kMoved);
  Enqueue(state_, 0, second, Arrival::kMoved);

  EXPECT_EQ(EarliestEligible(state_, RootQueue()), &first.fair);
}

class NoParityTest : public EevdfTest {
 protected:
  NoParityTest() : EevdfTest({.run_to_parity = OnOff::kOff}) {}
};
TEST_F(NoParityTest, AnEarlierDeadlineTakesTheCpuAtOnce) {
  AddTask();
  PickOn(0);
  Task& second = AddTask();
  second.fair.slice = SimDuration(100'000);
  Dequeue(state_, 0, second, Departure::kMoved);
  Enqueue(state_, 0, second, Arrival::kMoved);

  EXPECT_EQ(EarliestEligible(state_, RootQueue()), &second.fair);
}

TEST_F(EevdfTest, ATaskThatComesBackHasTheLagThatItLeftWith) {
  Task& sleeper = AddTask();
  AddTask();
  AddTask(5);
  PickOn(0);
  Run(41);
  const std::int64_t lag = LagOf(state_, RootQueue(), sleeper.fair);
  ASSERT_NE(lag, 0);
  Sleep(sleeper);
  PickOn(0);
  Run(50);
  WakeOn(0, sleeper);

  EXPECT_NEAR(static_cast<double>(Lag(sleeper)), static_cast<double>(lag), 2);
}

class NoLagTest : public EevdfTest {
 protected:
  NoLagTest() : EevdfTest({.place_lag = OnOff::kOff}) {}
};
TEST_F(NoLagTest, ATaskThatComesBackStartsAtTheAverage) {
  Task& sleeper = AddTask();
  AddTask();
  AddTask(5);
  PickOn(0);
  Run(41);
  Sleep(sleeper);
  PickOn(0);
  Run(50);
  WakeOn(0, sleeper);

  EXPECT_NEAR(static_cast<double>(Lag(sleeper)), 0, 1);
}

TEST_F(EevdfTest, AMovedTaskAsksAnew) {
  Task& task = AddTask();
  PickOn(0);
  Run(1);
  Dequeue(state_, 0, task, Departure::kMoved);
  Enqueue(state_, 1, task, Arrival::kMoved);

  EXPECT_EQ(task.fair.deadline - task.fair.vruntime, Ns(milliseconds(3)));
}

class RelativeDeadlineTest : public EevdfTest {
 protected:
  RelativeDeadlineTest() : EevdfTest({.relative_deadline = OffOn::kOn}) {}
};
TEST_F(RelativeDeadlineTest, AMovedTaskKeepsWhatIsLeftOfItsRequest) {
  Task& task = AddTask();
  PickOn(0);
  Run(1);
  Dequeue(state_, 0, task, Departure::kMoved);
  Enqueue(state_, 1, task, Arrival::kMoved);

  EXPECT_EQ(task.fair.deadline - task.fair.vruntime, Ns(milliseconds(1)) / 2);
}

class DelayTest : public EevdfTest {
 protected:
  DelayTest() : EevdfTest({.delay_dequeue = OffOn::kOn}) {}
  // `debtor` has executed more than its part when it blocks.
  void BlockAhead() {
    debtor = &AddTask();
    other = &AddTask();
    ASSERT_EQ(PickOn(0), debtor);
    Advance(1'000);
    Sleep(*debtor);
  }
  Task* debtor = nullptr;
  Task* other = nullptr;
};
TEST_F(DelayTest, ATaskThatBlocksAheadOfTheAverageStaysQueued) {
  BlockAhead();

  EXPECT_TRUE(debtor->fair.is_delayed);
  EXPECT_EQ(state_.TaskCount(0), 2);
  EXPECT_EQ(state_.Queue(0).delayed_count, 1);
  EXPECT_EQ(PickOn(0), other);
}

TEST_F(DelayTest, ItLeavesWhenItWouldBeChosenAndIsOwedNothing) {
  BlockAhead();
  PickOn(0);
  Run(20);

  EXPECT_FALSE(debtor->fair.is_delayed);
  EXPECT_FALSE(debtor->fair.is_queued);
  EXPECT_LE(debtor->fair.lag, 0);
  EXPECT_EQ(state_.TaskCount(0), 1);
  EXPECT_EQ(state_.Queue(0).current, other);
}

TEST_F(DelayTest, IfItWakesBeforeItGoesOnWhereItIs) {
  BlockAhead();
  PickOn(0);
  const std::int64_t vruntime = debtor->fair.vruntime;
  RequeueDelayed(state_, *debtor);

  EXPECT_FALSE(debtor->fair.is_delayed);
  EXPECT_TRUE(debtor->fair.is_queued);
  EXPECT_EQ(debtor->fair.vruntime, vruntime);
  EXPECT_EQ(state_.Queue(0).delayed_count, 0);
}

TEST_F(DelayTest, IfItWakesWhenItWouldBeOwedItIsPutToTheAverage) {
  BlockAhead();
  PickOn(0);
  Advance(2'500);
  RequeueDelayed(state_, *debtor);

  EXPECT_NEAR(static_cast<double>(Lag(*debtor)), 0, 2);
}

TEST_F(DelayTest, ADelayedTaskCanBeMoved) {
  BlockAhead();
  PickOn(0);
  Dequeue(state_, 0, *debtor, Departure::kMoved);
  Enqueue(state_, 1, *debtor, Arrival::kMoved);
  EXPECT_EQ(state_.Queue(0).delayed_count, 0);
  EXPECT_EQ(state_.Queue(1).delayed_count, 1);

  // Alone there, it is chosen, and so leaves.
  EXPECT_EQ(PickOn(1), nullptr);
  EXPECT_EQ(state_.TaskCount(1), 0);
}

TEST_F(EevdfTest, WithoutDelayATaskLeavesWhenItBlocks) {
  Task& task = AddTask();
  AddTask();
  ASSERT_EQ(PickOn(0), &task);
  Advance(1'000);
  Sleep(task);

  EXPECT_FALSE(task.fair.is_queued);
  EXPECT_LT(task.fair.lag, 0);
}

class ShortTest : public EevdfTest {
 protected:
  explicit ShortTest(OffOn preempt_short = OffOn::kOn)
      : EevdfTest({.preempt_short = preempt_short}) {}
  void WakeAShortOne() {
    Task& sleeper = AddTask();
    AddTask();
    AddTask();
    PickOn(0);
    Sleep(sleeper);
    PickOn(0);
    Run(9);
    PickOn(0);
    sleeper.attributes.slice_ns = 100'000;
    sleeper.fair.slice = OwnSliceOf(state_.switches, sleeper.attributes);
    sleeper.fair.lag = 1'000;
    WakeOn(0, sleeper);
  }
};
TEST_F(ShortTest, AShorterRequestBreaksTheParityOfALongerOne) {
  WakeAShortOne();
  EXPECT_TRUE(machine_.NeedsReschedule(0));
}

class NoShortTest : public ShortTest {
 protected:
  NoShortTest() : ShortTest(OffOn::kOff) {}
};
TEST_F(NoShortTest, BeforeThatItWaits) {
  WakeAShortOne();
  EXPECT_FALSE(machine_.NeedsReschedule(0));
}

TEST_F(ShortTest, OwnSlicesAreBounded) {
  EXPECT_EQ(OwnSliceOf(state_.switches, {.slice_ns = 1}), SimDuration(100'000));
  EXPECT_EQ(OwnSliceOf(state_.switches, {.slice_ns = 1'000'000'000}), milliseconds(100));
  EXPECT_EQ(OwnSliceOf(state_.switches, {}), SimDuration(0));
}

TEST_F(EevdfTest, YieldingPutsTheDeadlineOffByARequest) {
  Task& task = AddTask();
  Task& other = AddTask();
  ASSERT_EQ(PickOn(0), &task);
  const std::int64_t deadline = task.fair.deadline;
  YieldCurrent(state_, 0);

  EXPECT_EQ(task.fair.deadline, deadline + Ns(milliseconds(3)));
  EXPECT_EQ(PickOn(0), &other);
}

TEST_F(EevdfTest, AnotherWeightKeepsTheLagInRealTime) {
  Task& task = AddTask();
  AddTask();
  PickOn(0);
  Run(31);
  const std::int64_t before = LagOf(state_, RootQueue(), task.fair) * task.fair.weight;
  ChangeWeight(state_, task.fair, 2'048);

  EXPECT_NEAR(static_cast<double>(Lag(task) * 2'048), static_cast<double>(before), 1e8);
}

// Random tasks of random weights come, go and take turns. No lag is ever larger than a request and
// a tick, in real time.
class LagBoundTest : public EevdfTest {
 protected:
  explicit LagBoundTest(const Switches& switches = {}) : EevdfTest(switches) {}
  void Step(RandomStream& random) {
    Task& task = *tasks_[static_cast<std::size_t>(random.Below(8))];
    const bool may_sleep = task.fair.is_queued && !task.fair.is_delayed;
    if (random.Below(5) == 0 && may_sleep && state_.TaskCount(0) > 2) {
      Sleep(task);
      if (state_.Queue(0).current == nullptr) PickOn(0);
    } else if (task.fair.is_delayed) {
      RequeueDelayed(state_, task);
    } else if (!task.fair.is_queued) {
      WakeOn(0, task);
      if (machine_.NeedsReschedule(0)) PickOn(0);
    }
    Run(1);
    NoteLags();
  }
  void NoteLags() {
    UpdateCurrent(state_, 0);
    for (const Task* task : tasks_) {
      if (!task->fair.is_queued) continue;
      const double lag = static_cast<double>(Lag(*task)) * static_cast<double>(task->fair.weight);
      largest_ms_ = std::max(largest_ms_, std::abs(lag) / 1'024 / 1e6);
    }
  }
  void RunAtRandom() {
    RandomStream random(1, "lag");
    for (int i = 0; i < 8; ++i) tasks_.push_back(&AddTask(static_cast<std::int32_t>(i) - 4));
    PickOn(0);
    for (int i = 0; i < 5'000; ++i) Step(random);
  }
  std::vector<Task*> tasks_;
  double largest_ms_ = 0;
};
TEST_F(LagBoundTest, LagIsBoundedByARequestAndATick) {
  RunAtRandom();
  EXPECT_LE(largest_ms_, 4.0);
  EXPECT_GT(largest_ms_, 0.5);
}

class DelayedLagBoundTest : public LagBoundTest {
 protected:
  DelayedLagBoundTest()
      : LagBoundTest({.delay_dequeue = OffOn::kOn, .preempt_short = OffOn::kOn}) {}
};
TEST_F(DelayedLagBoundTest, LagIsBoundedByARequestAndATickWithDelayedTasks) {
  RunAtRandom();
  EXPECT_LE(largest_ms_, 4.0);
  EXPECT_GT(largest_ms_, 0.5);
}

}  // namespace
}  // namespace schedlab::sim::fair
