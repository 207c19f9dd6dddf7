#include "server/sync_hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "tests/unit/server/fake_job_store.h"

namespace schedlab::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Answer = Result<SynchronizeResponse>;

// Far longer than any of these waits takes: a bound for a broken hub, not a measurement.
constexpr seconds kLongest{20};

// What a test keeps of a call.
struct Caller {
  std::promise<Answer> promise;
  std::future<Answer> answer = promise.get_future();
  std::atomic<bool> is_gone = false;
};

SynchronizeRequest WorkerWith(std::int32_t slot_count, std::int32_t running_count) {
  SynchronizeRequest request;
  request.worker.name = "w-1";
  request.worker.slot_count = slot_count;
  request.max_wait = kLongest;
  for (std::int32_t i = 0; i < running_count; ++i) {
    request.running.push_back({RunId{1000 + i}, 1, "token"});
  }
  return request;
}

class SyncHubTest : public ::testing::Test {
 protected:
  std::shared_ptr<Caller> Call(SynchronizeRequest request) {
    auto caller = std::make_shared<Caller>();
    hub_.Take({.request = std::move(request),
               .is_cancelled = [caller] { return caller->is_gone.load(); },
               .answer = [caller](const Answer& answer) { caller->promise.set_value(answer); }});
    return caller;
  }

  // Whether that many calls are held back soon.
  bool HoldsBack(std::size_t count) {
    return IsSoon([&] { return hub_.held_count() == count; });
  }

  static bool IsSoon(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  Answer AnswerOf(Caller& caller) {
    if (caller.answer.wait_for(kLongest) != std::future_status::ready) {
      return Fail(ErrorCode::kDeadlineExceeded, "the hub did not answer");
    }
    return caller.answer.get();
  }

  SystemClock clock_;
  Log log_{clock_, LogLevel::kError, [](std::string_view) {}};
  Telemetry telemetry_;
  FakeJobStore store_;
  std::atomic<int> told_of_reports_ = 0;
  WorkPool pool_{{.thread_count = 2, .queue_limit = 100}};
  SyncHub hub_{store_, pool_, log_, telemetry_, {.lease_ttl = seconds{30}, .on_reports = [this] {
                                                   ++told_of_reports_;
                                                 }}};

  void TearDown() override {
    hub_.Drain();
    pool_.Finish();
  }
};

TEST_F(SyncHubTest, RunsThatWaitAreLeasedAtOnceUpToTheFreeSlots) {
  store_.Queue(5);

  const Answer answer = AnswerOf(*Call(WorkerWith(3, 1)));

  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->leases.size(), 2U);
}

TEST_F(SyncHubTest, ACallWithNothingToSayIsHeldBackUntilRunsAreQueued) {
  const auto caller = Call(WorkerWith(2, 0));
  ASSERT_TRUE(HoldsBack(1));

  store_.Queue(1);
  hub_.Wake();

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->leases.size(), 1U);
}

TEST_F(SyncHubTest, RunsThatAnotherCoordinatorQueuedAreFoundWithoutNews) {
  const auto caller = Call(WorkerWith(2, 0));

  store_.Queue(1);

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->leases.size(), 1U);
}

TEST_F(SyncHubTest, ManyQueuedRunsReachEveryWorkerThatWaits) {
  const auto first = Call(WorkerWith(2, 0));
  const auto second = Call(WorkerWith(2, 0));
  ASSERT_TRUE(HoldsBack(2));

  store_.Queue(4);
  hub_.Wake();

  EXPECT_EQ(AnswerOf(*first)->leases.size(), 2U);
  EXPECT_EQ(AnswerOf(*second)->leases.size(), 2U);
}

TEST_F(SyncHubTest, ACancelledRunReachesAFullWorkerThatWaits) {
  const auto caller = Call(WorkerWith(1, 1));
  ASSERT_TRUE(HoldsBack(1));

  store_.StopEverything();
  hub_.WakeRunning();

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->stop.size(), 1U);
}

TEST_F(SyncHubTest, ARunThatAnotherCoordinatorCancelledIsFoundWithoutNews) {
  const auto caller = Call(WorkerWith(1, 1));

  store_.StopEverything();

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->stop.size(), 1U);
}

TEST_F(SyncHubTest, ReportsAreReceiptedAtOnceAndToldOf) {
  SynchronizeRequest request = WorkerWith(1, 0);
  request.finished.push_back({.attempt = {RunId{7}, 2, "token"}, .outcome = RunResult{}});

  const Answer answer = AnswerOf(*Call(std::move(request)));
  pool_.Finish();

  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->receipts,
            (std::vector<ReportReceipt>{{RunId{7}, 2, ReportDisposition::kAccepted}}));
  EXPECT_EQ(told_of_reports_, 1);
}

TEST_F(SyncHubTest, TheWaitOfEveryLeasedRunIsObserved) {
  store_.Queue(2);

  EXPECT_TRUE(AnswerOf(*Call(WorkerWith(2, 0))));
  pool_.Finish();

  const std::string text = telemetry_.Serialize();
  EXPECT_NE(text.find("schedlab_run_queue_wait_seconds_count 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("schedlab_run_queue_wait_seconds_sum 3\n"), std::string::npos) << text;
}

TEST_F(SyncHubTest, ACallThatMayNotWaitIsAnsweredAtOnce) {
  SynchronizeRequest request = WorkerWith(1, 0);
  request.max_wait = milliseconds{0};

  const Answer answer = AnswerOf(*Call(std::move(request)));

  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->leases.empty());
}

TEST_F(SyncHubTest, ACallWhoseWaitIsOverIsAnsweredWithoutNews) {
  SynchronizeRequest request = WorkerWith(1, 0);
  request.max_wait = milliseconds{50};

  const Answer answer = AnswerOf(*Call(std::move(request)));

  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->leases.empty());
}

TEST_F(SyncHubTest, ADrainAnswersWhoIsHeldBackAndSpreadsThemOut) {
  const auto caller = Call(WorkerWith(1, 0));
  ASSERT_TRUE(HoldsBack(1));

  hub_.Drain();

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_GE(answer->next_call_in, milliseconds{500});
}

TEST_F(SyncHubTest, ACallerThatIsGoneIsLetGoOf) {
  const auto caller = Call(WorkerWith(1, 0));
  ASSERT_TRUE(HoldsBack(1));

  caller->is_gone = true;

  const Answer answer = AnswerOf(*caller);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kCancelled);
}

TEST_F(SyncHubTest, ACallFailsWhereTheDatabaseIsAway) {
  store_.SetAway(true);

  const Answer answer = AnswerOf(*Call(WorkerWith(1, 0)));

  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
}

TEST_F(SyncHubTest, ACallThatIsHeldBackOutlivesAnOutage) {
  const auto caller = Call(WorkerWith(1, 0));
  ASSERT_TRUE(HoldsBack(1));

  store_.SetAway(true);
  const std::int64_t before = store_.count_queued_count();
  hub_.Wake();
  ASSERT_TRUE(IsSoon([&] { return store_.count_queued_count() > before; }));
  ASSERT_TRUE(HoldsBack(1));
  store_.SetAway(false);
  store_.Queue(1);

  const Answer answer = AnswerOf(*caller);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->leases.size(), 1U);
}

}  // namespace
}  // namespace schedlab::server
