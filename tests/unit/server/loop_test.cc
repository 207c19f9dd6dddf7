#include "server/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace schedlab::server {
namespace {

// Never reached in these tests: what happens sooner was woken.
constexpr std::chrono::hours kNever{1};

// Lets a test wait for the n-th step.
class StepCounter {
 public:
  int Count() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyAll();
    return count_;
  }

  bool WaitFor(int count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    const MutexLock lock(mutex_);
    while (count_ < count && std::chrono::steady_clock::now() < deadline) {
      changed_.WaitFor(mutex_, std::chrono::milliseconds{50});
    }
    return count_ >= count;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  int count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
};

class LoopTest : public ::testing::Test {
 protected:
  std::int64_t LinesWith(const std::string& text) const {
    return std::count_if(lines_.begin(), lines_.end(), [&text](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }

  SystemClock clock_;
  std::vector<std::string> lines_;  // to be read once the loop has stopped
  Log log_{clock_, LogLevel::kInfo, [this](std::string_view line) { lines_.emplace_back(line); }};
  Telemetry telemetry_;
  StepCounter steps_;
};

TEST_F(LoopTest, TheFirstStepComesAtOnceAndAnotherWhenWoken) {
  Loop loop({.component = "test", .interval = kNever}, log_, telemetry_,
            [this](const std::stop_token&) -> Status {
              steps_.Count();
              return {};
            });
  ASSERT_TRUE(steps_.WaitFor(1));

  loop.Wake();

  EXPECT_TRUE(steps_.WaitFor(2));
}

TEST_F(LoopTest, StepsFollowAtTheInterval) {
  Loop loop({.component = "test", .interval = std::chrono::milliseconds{1}}, log_, telemetry_,
            [this](const std::stop_token&) -> Status {
              steps_.Count();
              return {};
            });

  EXPECT_TRUE(steps_.WaitFor(5));
}

TEST_F(LoopTest, AnOutageIsLoggedOnceAsAWarningAndItsEndOnce) {
  Loop loop({.component = "test", .interval = std::chrono::milliseconds{1}}, log_, telemetry_,
            [this](const std::stop_token&) -> Status {
              if (steps_.Count() <= 3) return Fail(ErrorCode::kUnavailable, "away");
              return {};
            });
  ASSERT_TRUE(steps_.WaitFor(6));
  loop.Stop();

  EXPECT_EQ(LinesWith("level=warn component=test event=database_unavailable error=away"), 1);
  EXPECT_EQ(LinesWith("level=info component=test event=recovered"), 1);
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(LoopTest, AnUnexpectedFailureIsAnError) {
  Loop loop({.component = "test", .interval = kNever}, log_, telemetry_,
            [this](const std::stop_token&) -> Status {
              steps_.Count();
              return Fail(ErrorCode::kInternal, "broken");
            });
  ASSERT_TRUE(steps_.WaitFor(1));
  loop.Stop();

  EXPECT_EQ(LinesWith("level=error component=test event=step_failed error=broken"), 1);
}

}  // namespace
}  // namespace schedlab::server
