#include "server/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace schedlab::server {
namespace {

TEST(WorkPoolTest, EverythingSubmittedIsRunBeforeItEnds) {
  std::atomic<int> run_count = 0;
  WorkPool pool({.thread_count = 2, .queue_limit = 100});

  for (int i = 0; i < 50; ++i) ASSERT_TRUE(pool.TrySubmit([&run_count] { ++run_count; }));
  pool.Finish();

  EXPECT_EQ(run_count, 50);
}

TEST(WorkPoolTest, WorkBeyondTheQueuesLimitIsRefused) {
  std::promise<void> start;
  std::promise<void> started;
  const std::shared_future<void> may_end = start.get_future().share();
  WorkPool pool({.thread_count = 1, .queue_limit = 1});

  const bool is_first_accepted = pool.TrySubmit([&started, may_end] {
    started.set_value();
    may_end.wait();
  });
  started.get_future().wait();
  const bool is_second_accepted = pool.TrySubmit([] {});
  const bool is_third_accepted = pool.TrySubmit([] {});
  start.set_value();

  EXPECT_TRUE(is_first_accepted);
  EXPECT_TRUE(is_second_accepted);
  EXPECT_FALSE(is_third_accepted);
}

TEST(WorkPoolTest, NothingIsAcceptedAfterItsEnd) {
  WorkPool pool({.thread_count = 1, .queue_limit = 1});
  pool.Finish();

  EXPECT_FALSE(pool.TrySubmit([] {}));
}

}  // namespace
}  // namespace schedlab::server
