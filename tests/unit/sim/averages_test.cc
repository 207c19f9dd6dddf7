#include <gtest/gtest.h>

#include "sim/fair/load.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kSegmentNs = 1'024 * 1'024;
constexpr Switches kAveraged{.load_view = LoadView::kPeltAll};

// What AveragesNow() tells twice of one instant is worked out once. A memo that outlives the
// instant, or what was queued at it, would be told here.
class AveragesTest : public ::testing::Test {
 protected:
  AveragesTest() : fair_("core:2", kAveraged) {
    fair_.QueueMany(0, 2);
    fair_.AdvanceTo(5 * kSegmentNs);
  }
  CfsQueue& root() { return fair_.state().Queue(0).root; }
  QueueAverages Told() { return AveragesNow(fair_.state(), root()); }
  QueueAverages WorkedOut() { return ComputeAveragesPastSegment(root(), fair_.machine().now()); }

  FairMachine fair_;
};

TEST_F(AveragesTest, AreThoseOfTheInstant) {
  const QueueAverages before = Told();
  fair_.AdvanceTo(40 * kSegmentNs);

  EXPECT_EQ(Told(), WorkedOut());
  EXPECT_GT(Told().runnable, before.runnable);
}

TEST_F(AveragesTest, FollowAChangeOfTheWeightAtTheSameInstant) {
  const QueueAverages before = Told();
  root().weight *= 2;

  EXPECT_EQ(Told(), WorkedOut());
  EXPECT_GT(Told().load, before.load);
}

TEST_F(AveragesTest, FollowAChangeOfTheNumberOfTasksAtTheSameInstant) {
  const QueueAverages before = Told();
  root().task_count += 3;

  EXPECT_EQ(Told(), WorkedOut());
  EXPECT_GT(Told().runnable, before.runnable);
}

TEST_F(AveragesTest, FollowTheCurrentTaskAtTheSameInstant) {
  FairEntity entity;
  const QueueAverages before = Told();
  root().current = &entity;

  EXPECT_EQ(Told(), WorkedOut());
  EXPECT_GT(Told().util, before.util);
  root().current = nullptr;
}

TEST_F(AveragesTest, AreThoseOfTheQueueOnceItIsTracked) {
  Told();
  fair_.Queue(0);

  EXPECT_EQ(Told().load, root().averages.load);
  EXPECT_EQ(Told().runnable, root().averages.runnable);
}

TEST_F(AveragesTest, NumbersOfTasksFollowEveryChangeOfAQueue) {
  EXPECT_EQ(fair_.state().TaskCount(0), 2);
  Task& task = fair_.Queue(0);
  EXPECT_EQ(fair_.state().TaskCount(0), 3);
  Dequeue(fair_.state(), 0, task, Departure::kMoved);
  EXPECT_EQ(fair_.state().TaskCount(0), 2);
  EXPECT_EQ(fair_.state().TaskCount(1), 0);
}

}  // namespace
}  // namespace schedlab::sim::fair
