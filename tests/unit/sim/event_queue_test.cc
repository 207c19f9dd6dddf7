#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "sim/random_stream.h"

namespace schedlab::sim {
namespace {

SimTime At(std::int64_t ns) { return SimTime(SimDuration(ns)); }

class EventQueueTest : public ::testing::Test {
 protected:
  EventQueueTest() {
    for (int i = 0; i < 5; ++i) timers_.push_back(queue_.AddTimer());
  }

  std::vector<TimerId> FireAll() {
    std::vector<TimerId> fired;
    while (queue_.NextAt() != kNever) {
      fired.push_back(queue_.Fire());
    }
    return fired;
  }

  EventQueue queue_;
  std::vector<TimerId> timers_;
};

TEST_F(EventQueueTest, TimersFireInOrderOfTime) {
  queue_.Arm(timers_[0], At(30));
  queue_.Arm(timers_[1], At(10));
  queue_.Arm(timers_[2], At(20));

  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[1], timers_[2], timers_[0]}));
  EXPECT_EQ(queue_.now(), At(30));
}

TEST_F(EventQueueTest, TimersOfOneInstantFireInTheOrderOfTheirArming) {
  queue_.Arm(timers_[4], At(10));
  queue_.Arm(timers_[0], At(10));
  queue_.Arm(timers_[2], At(10));

  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[4], timers_[0], timers_[2]}));
}

TEST_F(EventQueueTest, ArmingAgainReplacesTheEarlierTime) {
  queue_.Arm(timers_[0], At(10));
  queue_.Arm(timers_[1], At(20));
  queue_.Arm(timers_[0], At(30));

  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[1], timers_[0]}));
}

TEST_F(EventQueueTest, ADisarmedTimerDoesNotFire) {
  queue_.Arm(timers_[0], At(10));
  queue_.Arm(timers_[1], At(20));
  queue_.Disarm(timers_[0]);

  EXPECT_FALSE(queue_.IsArmed(timers_[0]));
  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[1]}));
}

TEST_F(EventQueueTest, AFiredTimerMayArmItselfAndOthers) {
  queue_.Arm(timers_[0], At(10));
  ASSERT_EQ(queue_.Fire(), timers_[0]);

  queue_.Arm(timers_[1], At(15));
  queue_.Arm(timers_[0], At(12));

  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[0], timers_[1]}));
}

TEST_F(EventQueueTest, TimersAddedLaterKeepTheArmedOnes) {
  queue_.Arm(timers_[3], At(10));
  for (int i = 0; i < 100; ++i) queue_.AddTimer();

  EXPECT_EQ(FireAll(), (std::vector<TimerId>{timers_[3]}));
}

// Few timers and many, some armed again before anybody asked who is first.
class EventQueueRandomTest : public ::testing::TestWithParam<int> {};

TEST_P(EventQueueRandomTest, AgreesWithAnOrderedMap) {
  constexpr std::uint64_t kSeed = 123;
  RandomStream random(kSeed, "operations");
  EventQueue queue;
  std::vector<TimerId> timers;
  for (int i = 0; i < GetParam(); ++i) timers.push_back(queue.AddTimer());
  std::map<std::pair<SimTime, int>, TimerId> expected;
  std::map<TimerId, std::pair<SimTime, int>> armed;

  for (int step = 0; step < 20'000; ++step) {
    const TimerId timer = timers[static_cast<std::size_t>(random.Below(GetParam()))];
    const std::int64_t operation = random.Below(5);
    if (operation < 3) {
      const SimTime at = queue.now() + SimDuration(random.Below(4));
      if (armed.contains(timer)) expected.erase(armed[timer]);
      armed[timer] = {at, step};
      expected[armed[timer]] = timer;
      queue.Arm(timer, at);
    } else if (operation == 3) {
      if (armed.contains(timer)) expected.erase(armed[timer]);
      armed.erase(timer);
      queue.Disarm(timer);
    } else if (!expected.empty()) {
      ASSERT_EQ(queue.NextAt(), expected.begin()->first.first);
      const TimerId fired = queue.Fire();
      ASSERT_EQ(fired, expected.begin()->second) << "seed " << kSeed << " step " << step;
      armed.erase(fired);
      expected.erase(expected.begin());
    }
    ASSERT_EQ(queue.IsArmed(timer), armed.contains(timer));
  }
}
INSTANTIATE_TEST_SUITE_P(Timers, EventQueueRandomTest, ::testing::Values(1, 5, 200));

}  // namespace
}  // namespace schedlab::sim
