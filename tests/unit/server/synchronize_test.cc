#include "server/synchronize.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "tests/support/builders.h"
#include "tests/support/fake_clock.h"
#include "tests/support/in_memory_job_store.h"

namespace schedlab::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::JobShape;

SynchronizeRequest RequestOf(std::int32_t slot_count) {
  SynchronizeRequest request{.worker = testing::MakeWorker("w1"),
                             .running = {},
                             .finished = {},
                             .max_wait = kSynchronizeWait};
  request.worker.slot_count = slot_count;
  return request;
}

class SynchronizeTest : public ::testing::Test {
 protected:
  void Submit(std::int32_t run_count) {
    ASSERT_TRUE(store_.CreateJob(testing::MakeJob(JobShape{.repetitions = run_count})));
  }
  SynchronizeResponse Answer(const SynchronizeRequest& request) {
    return server::Synchronize(store_, request).value().response;
  }

  testing::FakeClock clock_;
  testing::InMemoryJobStore store_{clock_};
};

TEST_F(SynchronizeTest, LeasesARunForEveryFreeSlot) {
  Submit(5);
  SynchronizeRequest request = RequestOf(3);
  const Lease first = Answer(RequestOf(1)).leases.front();
  request.running = {first.attempt};

  const SynchronizeResponse response = Answer(request);

  EXPECT_EQ(response.leases.size(), 2U);
}

TEST_F(SynchronizeTest, RedeliversALeaseThatTheWorkerDoesNotRun) {
  Submit(1);
  const SynchronizeResponse lost = Answer(RequestOf(1));

  const SynchronizeResponse response = Answer(RequestOf(1));

  EXPECT_EQ(response.leases, lost.leases);
}

TEST_F(SynchronizeTest, AcknowledgesAReportAndLeasesIntoItsSlot) {
  Submit(2);
  const Lease first = Answer(RequestOf(1)).leases.front();
  SynchronizeRequest request = RequestOf(1);
  request.finished = {testing::Succeeded(first)};

  const SynchronizeResponse response = Answer(request);

  const ReportReceipt expected{
      .run = first.attempt.run, .attempt = 1, .disposition = ReportDisposition::kAccepted};
  EXPECT_EQ(response.receipts, std::vector{expected});
  ASSERT_EQ(response.leases.size(), 1U);
  EXPECT_NE(response.leases.front().attempt.run, first.attempt.run);
}

TEST_F(SynchronizeTest, StopsAnAttemptWhoseJobWasCancelled) {
  Submit(1);
  const Lease lease = Answer(RequestOf(1)).leases.front();
  ASSERT_TRUE(store_.CancelJob(JobId{1}));
  SynchronizeRequest request = RequestOf(1);
  request.running = {lease.attempt};

  EXPECT_EQ(Answer(request).stop, std::vector{lease.attempt});
}

TEST_F(SynchronizeTest, LeasesNothingToADrainingWorker) {
  Submit(1);
  SynchronizeRequest request = RequestOf(4);
  request.worker.is_draining = true;

  EXPECT_TRUE(Answer(request).leases.empty());
}

TEST_F(SynchronizeTest, LeasesNoMoreThanFitOneResponse) {
  Submit(kMaxLeasesPerCall + 1);
  const SynchronizeRequest request = RequestOf(kMaxSlotsPerWorker);

  const SynchronizeResponse response = Answer(request);

  EXPECT_EQ(response.leases.size(), static_cast<std::size_t>(kMaxLeasesPerCall));
  EXPECT_EQ(NextCallIn(request, response, kLeaseTtl, 0.9), microseconds(0));
}

TEST_F(SynchronizeTest, HasNoNewsWhereNothingIsQueued) {
  EXPECT_FALSE(HasNews(Answer(RequestOf(1))));
}

TEST(LongestWaitTest, IsWhatTheWorkerAsksFor) {
  SynchronizeRequest request = RequestOf(1);
  request.max_wait = seconds(2);

  EXPECT_EQ(LongestWait(request, kLeaseTtl), seconds(2));
}

TEST(LongestWaitTest, EndsInTimeForARenewal) {
  EXPECT_EQ(LongestWait(RequestOf(1), milliseconds(600)), milliseconds(200));
}

TEST(LongestWaitTest, IsNeverNegative) {
  SynchronizeRequest request = RequestOf(1);
  request.max_wait = seconds(-5);

  EXPECT_EQ(LongestWait(request, kLeaseTtl), seconds(0));
}

TEST(NextCallInTest, AllowsABusyWorkerToMissTwoRenewals) {
  SynchronizeRequest request = RequestOf(1);
  request.running = {{.run = RunId{1}, .attempt = 1, .token = "t"}};
  request.max_wait = seconds(0);

  EXPECT_EQ(NextCallIn(request, {}, seconds(30), 0.0), seconds(6));
  EXPECT_LE(NextCallIn(request, {}, seconds(30), 0.999), seconds(10));
}

TEST(NextCallInTest, LetsABusyWorkerWaitOnAfterAShortPause) {
  SynchronizeRequest request = RequestOf(1);
  request.running = {{.run = RunId{1}, .attempt = 1, .token = "t"}};

  EXPECT_EQ(NextCallIn(request, {}, kLeaseTtl, 0.5), milliseconds(250));
}

TEST(NextCallInTest, LetsAWorkerThatIsFullNowWaitForNewsSoon) {
  SynchronizeResponse response;
  response.leases = {Lease{}};

  EXPECT_EQ(NextCallIn(RequestOf(1), response, kLeaseTtl, 0.9), milliseconds(100));
}

TEST(NextCallInTest, LetsAWorkerWithAFreeSlotComeBackAtOnce) {
  SynchronizeResponse response;
  response.leases = {Lease{}};

  EXPECT_EQ(NextCallIn(RequestOf(2), response, kLeaseTtl, 0.9), microseconds(0));
}

TEST(NextCallInTest, LetsAnIdleWorkerWaitOnAfterAShortPause) {
  EXPECT_EQ(NextCallIn(RequestOf(1), {}, kLeaseTtl, 0.5), milliseconds(250));
}

}  // namespace
}  // namespace schedlab::server
