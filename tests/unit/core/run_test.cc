#include "core/run.h"

#include <gtest/gtest.h>

#include "core/job.h"

namespace schedlab {
namespace {

TEST(RunStateTest, AFinishedRunNeverMoves) {
  for (const RunState from : {RunState::kSucceeded, RunState::kFailed, RunState::kCancelled}) {
    for (const RunState to : {RunState::kQueued, RunState::kLeased, RunState::kSucceeded}) {
      EXPECT_FALSE(CanMove(from, to));
    }
  }
}

TEST(RunStateTest, ALeasedRunReturnsToTheQueueOrEnds) {
  EXPECT_TRUE(CanMove(RunState::kLeased, RunState::kQueued));
  EXPECT_TRUE(CanMove(RunState::kLeased, RunState::kSucceeded));
  EXPECT_FALSE(CanMove(RunState::kLeased, RunState::kLeased));
  EXPECT_FALSE(CanMove(RunState::kQueued, RunState::kSucceeded));
}

TEST(JobStateTest, FollowsFromTheRuns) {
  EXPECT_EQ(StateFromRuns({.queued = 1, .succeeded = 5}), JobState::kRunning);
  EXPECT_EQ(StateFromRuns({.leased = 1, .failed = 1}), JobState::kRunning);
  EXPECT_EQ(StateFromRuns({.succeeded = 5}), JobState::kSucceeded);
  EXPECT_EQ(StateFromRuns({.succeeded = 5, .failed = 1}), JobState::kFailed);
}

}  // namespace
}  // namespace schedlab
