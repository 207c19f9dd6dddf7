#include "client/progress.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

TEST(ProgressTest, WithoutATerminalThereIsALineForEachTenth) {
  Progress progress(false);

  EXPECT_EQ(progress.Update({.queued = 100}), "        0 %  0/100 runs\n");
  EXPECT_EQ(progress.Update({.queued = 95, .succeeded = 5}), "");
  EXPECT_EQ(progress.Update({.queued = 85, .succeeded = 14, .failed = 1}),
            "       10 %  15/100 runs, 1 failed\n");
  EXPECT_EQ(progress.Update({.succeeded = 99, .failed = 1}),
            "      100 %  100/100 runs, 1 failed\n");
  EXPECT_EQ(progress.Finish(), "");
}

TEST(ProgressTest, CancelledRunsAreNotDone) {
  Progress progress(false);

  EXPECT_EQ(progress.Update({.succeeded = 12, .cancelled = 28}),
            "       30 %  12/40 runs, 28 cancelled\n");
}

TEST(ProgressTest, OnATerminalABarIsRedrawn) {
  Progress progress(true);

  EXPECT_EQ(progress.Update({.queued = 1, .succeeded = 1}),
            "\r      [===============               ] 1/2 runs\x1b[K");
  EXPECT_EQ(progress.Finish(), "\n");
}

TEST(ProgressTest, AJobWithoutRunsIsNoDivisionByZero) {
  Progress progress(false);

  EXPECT_EQ(progress.Update({}), "        0 %  0/0 runs\n");
}

}  // namespace
}  // namespace schedlab::client
