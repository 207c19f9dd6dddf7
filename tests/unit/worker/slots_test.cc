#include "worker/slots.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/sample_values.h"

namespace schedlab::worker {
namespace {

constexpr std::chrono::milliseconds kPoll{10};

// Executes until it is released or stopped.
class GatedExecutor final : public RunExecutor {
 public:
  AttemptOutcome Execute(const RunSpec& /*spec*/, std::stop_token stop) override {
    const MutexLock lock(mutex_);
    ++executing_count_;
    most_executing_count_ = std::max(most_executing_count_, executing_count_);
    changed_.NotifyAll();
    while (!is_open_ && !stop.stop_requested()) changed_.WaitFor(mutex_, kPoll);
    --executing_count_;
    if (stop.stop_requested()) return AttemptFailure{.message = "stopped", .is_retryable = true};
    return testing::SampleRunResult();
  }
  void Open() {
    const MutexLock lock(mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }
  void WaitForExecuting(int count) {
    const MutexLock lock(mutex_);
    while (executing_count_ != count) changed_.WaitFor(mutex_, kPoll);
  }
  int most_executing_count() {
    const MutexLock lock(mutex_);
    return most_executing_count_;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  bool is_open_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  int executing_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  int most_executing_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
};

class Reports {
 public:
  void Add(AttemptReport report) {
    const MutexLock lock(mutex_);
    reports_.push_back(std::move(report));
    changed_.NotifyAll();
  }
  std::vector<AttemptReport> WaitFor(std::size_t count) {
    const MutexLock lock(mutex_);
    while (reports_.size() < count) changed_.WaitFor(mutex_, kPoll);
    return reports_;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<AttemptReport> reports_ SCHEDLAB_GUARDED_BY(mutex_);
};

Lease LeaseOf(std::int64_t run) {
  return {.attempt = {.run = RunId{run}, .attempt = 1, .token = "t"},
          .spec = testing::SampleRunSpec()};
}

class SlotsTest : public ::testing::Test {
 protected:
  Reports reports_;
  GatedExecutor executor_;
  Slots slots_{2, executor_, [this](AttemptReport report) { reports_.Add(std::move(report)); }};
};

TEST_F(SlotsTest, ExecutesAsManyAttemptsAtOnceAsThereAreSlots) {
  slots_.Start(LeaseOf(1));
  slots_.Start(LeaseOf(2));

  executor_.WaitForExecuting(2);
  executor_.Open();

  EXPECT_EQ(reports_.WaitFor(2).size(), 2U);
  EXPECT_EQ(executor_.most_executing_count(), 2);
}

TEST_F(SlotsTest, ReportsTheOutcomeOfTheAttempt) {
  executor_.Open();

  slots_.Start(LeaseOf(1));

  const AttemptReport expected{.attempt = LeaseOf(1).attempt,
                               .outcome = testing::SampleRunResult()};
  EXPECT_EQ(reports_.WaitFor(1), std::vector{expected});
}

TEST_F(SlotsTest, StopsOneAttemptAndLeavesTheOther) {
  slots_.Start(LeaseOf(1));
  slots_.Start(LeaseOf(2));
  executor_.WaitForExecuting(2);

  slots_.Stop(LeaseOf(1).attempt);

  EXPECT_EQ(reports_.WaitFor(1).front().attempt, LeaseOf(1).attempt);
  executor_.WaitForExecuting(1);
}

TEST_F(SlotsTest, IgnoresAStopOfAnUnknownAttempt) {
  slots_.Stop(LeaseOf(9).attempt);
  executor_.Open();

  slots_.Start(LeaseOf(1));

  EXPECT_EQ(reports_.WaitFor(1).size(), 1U);
}

TEST(SlotsEndTest, StopsWhatRunsWhenItIsDestroyed) {
  Reports reports;
  GatedExecutor executor;
  {
    Slots slots(1, executor, [&](AttemptReport report) { reports.Add(std::move(report)); });
    slots.Start(LeaseOf(1));
    executor.WaitForExecuting(1);
  }

  const AttemptFailure expected{.message = "stopped", .is_retryable = true};
  EXPECT_EQ(std::get<AttemptFailure>(reports.WaitFor(1).front().outcome), expected);
}

TEST(SlotsDeathTest, RefusesMoreAttemptsThanSlots) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GatedExecutor executor;
  EXPECT_DEATH(
      {
        Slots slots(1, executor, [](const AttemptReport&) {});
        slots.Start(LeaseOf(1));
        slots.Start(LeaseOf(2));
      },
      "unfinished_.size");
}

}  // namespace
}  // namespace schedlab::worker
