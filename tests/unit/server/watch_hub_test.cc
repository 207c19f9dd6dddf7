#include "server/watch_hub.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "tests/unit/server/fake_job_store.h"

namespace schedlab::server {
namespace {

constexpr std::chrono::seconds kLongest{20};

// Keeps everything that it is shown.
class RecordingWatcher final : public JobWatcher {
 public:
  bool is_listening() const override { return true; }

  void Show(const Job& job, bool is_last) override {
    const MutexLock lock(mutex_);
    shown_.push_back(job);
    is_over_ = is_last;
    changed_.NotifyAll();
  }

  void End(const Error& error) override {
    const MutexLock lock(mutex_);
    error_ = error;
    is_over_ = true;
    changed_.NotifyAll();
  }

  // What was shown, once there are `count` states or the watch is over.
  std::vector<Job> WaitForStates(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    const MutexLock lock(mutex_);
    while (shown_.size() < count && !is_over_ && std::chrono::steady_clock::now() < deadline) {
      changed_.WaitFor(mutex_, std::chrono::milliseconds{50});
    }
    return shown_;
  }

  bool is_over() const {
    const MutexLock lock(mutex_);
    return is_over_;
  }

  std::optional<Error> error() const {
    const MutexLock lock(mutex_);
    return error_;
  }

 private:
  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::vector<Job> shown_ SCHEDLAB_GUARDED_BY(mutex_);
  bool is_over_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ SCHEDLAB_GUARDED_BY(mutex_);
};

Job JobIn(JobState state) {
  Job job;
  job.id = JobId{7};
  job.state = state;
  return job;
}

Job AnalyzedJobIn(JobState state) {
  Job job = JobIn(state);
  job.is_analyzed = true;
  return job;
}

class WatchHubTest : public ::testing::Test {
 protected:
  SystemClock clock_;
  Log log_{clock_, LogLevel::kError, [](std::string_view) {}};
  Telemetry telemetry_;
  FakeJobStore store_;
  WatchHub hub_{store_, log_, telemetry_};
  std::shared_ptr<RecordingWatcher> watcher_ = std::make_shared<RecordingWatcher>();
};

TEST_F(WatchHubTest, TheJobAsItIsComesFirst) {
  hub_.Add(watcher_, JobIn(JobState::kRunning));

  EXPECT_EQ(watcher_->WaitForStates(1), std::vector{JobIn(JobState::kRunning)});
  EXPECT_FALSE(watcher_->is_over());
}

TEST_F(WatchHubTest, ASettledJobIsShownOnceAndThatIsAll) {
  hub_.Add(watcher_, AnalyzedJobIn(JobState::kSucceeded));

  EXPECT_EQ(watcher_->WaitForStates(1), std::vector{AnalyzedJobIn(JobState::kSucceeded)});
  EXPECT_TRUE(watcher_->is_over());
}

TEST_F(WatchHubTest, ChangesAreShownUntilTheResultsAreAnalysed) {
  hub_.Add(watcher_, JobIn(JobState::kRunning));
  store_.SetJob(JobIn(JobState::kSucceeded));
  hub_.Wake();
  watcher_->WaitForStates(2);
  const bool was_over_before_the_analysis = watcher_->is_over();
  store_.SetJob(AnalyzedJobIn(JobState::kSucceeded));

  const std::vector<Job> shown = watcher_->WaitForStates(3);

  EXPECT_FALSE(was_over_before_the_analysis);
  EXPECT_EQ(shown, (std::vector{JobIn(JobState::kRunning), JobIn(JobState::kSucceeded),
                                AnalyzedJobIn(JobState::kSucceeded)}));
  EXPECT_TRUE(watcher_->is_over());
}

TEST_F(WatchHubTest, ACancelledJobNeedsNoAnalysis) {
  store_.SetJob(JobIn(JobState::kCancelled));
  hub_.Add(watcher_, JobIn(JobState::kRunning));

  watcher_->WaitForStates(2);

  EXPECT_TRUE(watcher_->is_over());
}

TEST_F(WatchHubTest, AWatchOutlivesAnOutage) {
  store_.SetAway(true);
  hub_.Add(watcher_, JobIn(JobState::kRunning));
  hub_.Wake();
  store_.SetJob(JobIn(JobState::kCancelled));
  store_.SetAway(false);

  EXPECT_EQ(watcher_->WaitForStates(2).size(), 2U);
}

TEST_F(WatchHubTest, ADrainEndsWatchesWithUnavailable) {
  hub_.Add(watcher_, JobIn(JobState::kRunning));

  hub_.Drain();

  ASSERT_TRUE(watcher_->error().has_value());
  EXPECT_EQ(watcher_->error()->code, ErrorCode::kUnavailable);
}

TEST_F(WatchHubTest, AWatchThatComesAfterADrainEndsWithUnavailable) {
  hub_.Drain();

  hub_.Add(watcher_, JobIn(JobState::kRunning));

  ASSERT_TRUE(watcher_->error().has_value());
  EXPECT_EQ(watcher_->error()->code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace schedlab::server
