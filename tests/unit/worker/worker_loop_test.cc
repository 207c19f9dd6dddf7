#include "worker/worker_loop.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "tests/support/sample_values.h"

namespace schedlab::worker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::SampleRunResult;
using testing::SampleRunSpec;
using testing::SampleWorker;
using Time = WorkerLoop::Time;

AttemptRef AttemptOf(std::int64_t run, std::int32_t attempt = 1) {
  return {.run = RunId{run}, .attempt = attempt, .token = "token"};
}

Lease LeaseOf(const AttemptRef& attempt) { return {.attempt = attempt, .spec = SampleRunSpec()}; }

AttemptReport ReportOf(const AttemptRef& attempt) {
  return {.attempt = attempt, .outcome = SampleRunResult()};
}

ReportReceipt ReceiptOf(const AttemptRef& attempt) {
  return {
      .run = attempt.run, .attempt = attempt.attempt, .disposition = ReportDisposition::kAccepted};
}

WorkerIdentity WorkerOf(std::int32_t slot_count) {
  WorkerIdentity worker = SampleWorker();
  worker.slot_count = slot_count;
  worker.is_draining = false;
  return worker;
}

SynchronizeResponse Leases(std::initializer_list<AttemptRef> attempts) {
  SynchronizeResponse response;
  for (const AttemptRef& attempt : attempts) response.leases.push_back(LeaseOf(attempt));
  response.next_call_in = seconds(10);
  return response;
}

SynchronizeResponse Receipts(std::initializer_list<AttemptRef> attempts) {
  SynchronizeResponse response;
  for (const AttemptRef& attempt : attempts) response.receipts.push_back(ReceiptOf(attempt));
  response.next_call_in = seconds(10);
  return response;
}

SynchronizeResponse Stop(const AttemptRef& attempt) {
  return {.leases = {}, .stop = {attempt}, .receipts = {}, .next_call_in = seconds(10)};
}

const Error kAway{ErrorCode::kUnavailable, "the coordinator is away"};
const Error kCancelled{ErrorCode::kCancelled, "cancelled"};

class WorkerLoopTest : public ::testing::Test {
 protected:
  // Makes the call that is due and answers it at once.
  WorkerLoop::Changes CallAndAnswer(const SynchronizeResponse& response) {
    last_request_ = loop_.BeginCall();
    return loop_.OnResponse(now_, response);
  }
  void CallAndFail(const Error& error) {
    last_request_ = loop_.BeginCall();
    loop_.OnCallFailed(now_, error);
  }
  void Finish(const AttemptRef& attempt) { loop_.OnAttemptFinished(now_, ReportOf(attempt)); }
  // How long after now the next call is due; -1 us where none is.
  microseconds Pause() const {
    const auto at = loop_.NextCallAt();
    return at ? std::chrono::duration_cast<microseconds>(*at - now_) : microseconds(-1);
  }

  Time now_{seconds(1000)};
  WorkerLoop loop_{WorkerOf(2), 42, now_};
  SynchronizeRequest last_request_;
};

TEST_F(WorkerLoopTest, CallsAtOnceAndDoesNotWaitForTheFirstAnswer) {
  EXPECT_EQ(Pause(), microseconds(0));

  const SynchronizeRequest request = loop_.BeginCall();

  EXPECT_EQ(request.worker, WorkerOf(2));
  EXPECT_EQ(request.max_wait, microseconds(0));
}

TEST_F(WorkerLoopTest, WaitsForLeasesSoonAfterTheFirstAnswer) {
  CallAndAnswer(Receipts({}));

  EXPECT_EQ(Pause(), kShortestPause);
  EXPECT_EQ(loop_.BeginCall().max_wait, kSynchronizeWait);
}

TEST_F(WorkerLoopTest, DoesNotWaitForTheFirstAnswerAfterAFailure) {
  CallAndAnswer(Receipts({}));
  CallAndFail(kAway);

  EXPECT_EQ(loop_.BeginCall().max_wait, microseconds(0));
}

TEST_F(WorkerLoopTest, StartsALease) {
  const WorkerLoop::Changes changes = CallAndAnswer(Leases({AttemptOf(1)}));

  EXPECT_EQ(changes.start, std::vector{LeaseOf(AttemptOf(1))});
}

TEST_F(WorkerLoopTest, ReportsWhatRuns) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  const SynchronizeRequest request = loop_.BeginCall();

  EXPECT_EQ(request.running, std::vector{AttemptOf(1)});
}

TEST_F(WorkerLoopTest, WaitsForNewsOfItsAttemptsWithoutAFreeSlot) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));

  EXPECT_EQ(loop_.BeginCall().max_wait, kSynchronizeWait);
}

TEST_F(WorkerLoopTest, WaitsForNewsOfItsAttemptsSoonAfterAnOutage) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));
  CallAndFail(kAway);

  CallAndAnswer({.leases = {}, .stop = {}, .receipts = {}, .next_call_in = seconds(10)});

  EXPECT_EQ(Pause(), kShortestPause);
  EXPECT_EQ(loop_.BeginCall().max_wait, kSynchronizeWait);
}

TEST_F(WorkerLoopTest, WaitsForNewsOfItsAttemptsWhileItDrains) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  loop_.StartDraining(now_);

  EXPECT_EQ(loop_.BeginCall().max_wait, kSynchronizeWait);
}

TEST_F(WorkerLoopTest, DoesNotWaitForTheAnswerToAReport) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));
  Finish(AttemptOf(1));

  EXPECT_EQ(loop_.BeginCall().max_wait, microseconds(0));
}

TEST_F(WorkerLoopTest, DoesNotStartARedeliveredLeaseTwice) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  const WorkerLoop::Changes changes = CallAndAnswer(Leases({AttemptOf(1)}));

  EXPECT_TRUE(changes.start.empty());
  EXPECT_EQ(loop_.held_count(), 1U);
}

TEST_F(WorkerLoopTest, DoesNotStartALeaseAgainWhoseReportIsNotAcknowledged) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  Finish(AttemptOf(1));

  const WorkerLoop::Changes changes = CallAndAnswer(Leases({AttemptOf(1)}));

  EXPECT_TRUE(changes.start.empty());
}

TEST_F(WorkerLoopTest, StartsALaterAttemptAtTheSameRun) {
  CallAndAnswer(Leases({AttemptOf(1, 1)}));

  const WorkerLoop::Changes changes = CallAndAnswer(Leases({AttemptOf(1, 2)}));

  EXPECT_EQ(changes.start, std::vector{LeaseOf(AttemptOf(1, 2))});
}

TEST_F(WorkerLoopTest, TakesNoMoreLeasesThanItHasSlots) {
  const WorkerLoop::Changes changes =
      CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2), AttemptOf(3)}));

  EXPECT_EQ(changes.start.size(), 2U);
  EXPECT_EQ(loop_.held_count(), 2U);
}

TEST_F(WorkerLoopTest, RefusesALeaseOfAnotherEngine) {
  SynchronizeResponse response = Leases({AttemptOf(1)});
  response.leases.front().spec.engine_version = "8";

  const WorkerLoop::Changes changes = CallAndAnswer(response);
  const SynchronizeRequest request = loop_.BeginCall();

  EXPECT_TRUE(changes.start.empty());
  const AttemptFailure expected{
      .message = "worker 'rack1-sim' executes simulated runs of engine 7, not sim runs of engine 8",
      .is_retryable = true};
  EXPECT_EQ(request.finished,
            (std::vector<AttemptReport>{{.attempt = AttemptOf(1), .outcome = expected}}));
}

TEST_F(WorkerLoopTest, ReportsAFinishedAttemptUntilItIsAcknowledged) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  Finish(AttemptOf(1));
  CallAndFail(kAway);  // the response was lost

  const SynchronizeRequest again = loop_.BeginCall();

  EXPECT_EQ(again.finished, std::vector{ReportOf(AttemptOf(1))});
  EXPECT_TRUE(again.running.empty());
}

TEST_F(WorkerLoopTest, ForgetsAReportOnItsReceipt) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  Finish(AttemptOf(1));

  CallAndAnswer(Receipts({AttemptOf(1)}));

  EXPECT_EQ(loop_.held_count(), 0U);
}

TEST_F(WorkerLoopTest, KeepsARunningAttemptWhateverTheReceiptsSay) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  CallAndAnswer(Receipts({AttemptOf(1)}));

  EXPECT_EQ(loop_.held_count(), 1U);
}

TEST_F(WorkerLoopTest, LeavesReportsBeyondTheLimitForTheNextCall) {
  loop_ = WorkerLoop(WorkerOf(kMaxReportsPerCall + 1), 42, now_);
  SynchronizeResponse response;
  for (std::int64_t run = 1; run <= kMaxReportsPerCall + 1; ++run) {
    response.leases.push_back(LeaseOf(AttemptOf(run)));
  }
  CallAndAnswer(response);
  for (const Lease& lease : response.leases) Finish(lease.attempt);

  const SynchronizeRequest request = loop_.BeginCall();

  EXPECT_EQ(request.finished.size(), static_cast<std::size_t>(kMaxReportsPerCall));
  EXPECT_EQ(request.running, std::vector{AttemptOf(kMaxReportsPerCall + 1)});
}

TEST_F(WorkerLoopTest, CallsAtOnceWhenTheLastAttemptFinishes) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  Finish(AttemptOf(1));

  EXPECT_EQ(Pause(), microseconds(0));
}

TEST_F(WorkerLoopTest, WaitsABatchWindowForOtherAttemptsToFinish) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));

  Finish(AttemptOf(1));

  EXPECT_EQ(Pause(), kBatchWindow);
}

TEST_F(WorkerLoopTest, CallsWhenTheCoordinatorSaysSo) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));

  EXPECT_EQ(Pause(), seconds(10));
}

TEST_F(WorkerLoopTest, KeepsItsDistanceFromACoordinatorThatHasNothingToSay) {
  CallAndAnswer(SynchronizeResponse{});

  EXPECT_EQ(Pause(), kShortestPause);
}

TEST_F(WorkerLoopTest, KeepsItsDistanceFromACoordinatorThatOwesAReceipt) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  Finish(AttemptOf(1));

  CallAndAnswer(SynchronizeResponse{});

  EXPECT_EQ(Pause(), kShortestPause);
}

TEST_F(WorkerLoopTest, IsNeverSilentForLongerThanALeaseLasts) {
  SynchronizeResponse response = Leases({AttemptOf(1), AttemptOf(2)});
  response.next_call_in = std::chrono::hours(5);

  CallAndAnswer(response);

  EXPECT_EQ(Pause(), kLeaseTtl);
}

TEST_F(WorkerLoopTest, CancelsAWaitingCallWhenAnAttemptFinishes) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  loop_.BeginCall();

  Finish(AttemptOf(1));

  EXPECT_EQ(loop_.CancelCallAt(), now_);
}

TEST_F(WorkerLoopTest, LetsAWaitingCallWaitWhileNothingFinishes) {
  CallAndAnswer(Receipts({}));
  loop_.BeginCall();

  EXPECT_EQ(loop_.CancelCallAt(), std::nullopt);
}

TEST_F(WorkerLoopTest, NeverCancelsACallThatCarriesAReport) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));
  Finish(AttemptOf(1));
  loop_.BeginCall();

  Finish(AttemptOf(2));

  EXPECT_EQ(loop_.CancelCallAt(), std::nullopt);
}

TEST_F(WorkerLoopTest, CallsAgainAtOnceAfterItsOwnCancellation) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  loop_.BeginCall();
  Finish(AttemptOf(1));

  loop_.OnCallFailed(now_, kCancelled);

  EXPECT_EQ(Pause(), microseconds(0));
  EXPECT_EQ(loop_.failure_count(), 0);
}

TEST_F(WorkerLoopTest, BacksOffFromACancellationThatIsNotItsOwn) {
  CallAndFail(kCancelled);

  EXPECT_EQ(loop_.failure_count(), 1);
}

TEST_F(WorkerLoopTest, ReportsWhatFinishedDuringACall) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));
  Finish(AttemptOf(1));
  loop_.BeginCall();
  Finish(AttemptOf(2));

  loop_.OnResponse(now_, Receipts({AttemptOf(1)}));

  EXPECT_EQ(Pause(), microseconds(0));
  EXPECT_EQ(loop_.BeginCall().finished, std::vector{ReportOf(AttemptOf(2))});
}

TEST_F(WorkerLoopTest, StopsAnAttemptOnceAndForgetsItWhenItHasEnded) {
  CallAndAnswer(Leases({AttemptOf(1)}));

  const WorkerLoop::Changes first = CallAndAnswer(Stop(AttemptOf(1)));
  const WorkerLoop::Changes second = CallAndAnswer(Stop(AttemptOf(1)));
  Finish(AttemptOf(1));

  EXPECT_EQ(first.stop, std::vector{AttemptOf(1)});
  EXPECT_TRUE(second.stop.empty());
  EXPECT_EQ(loop_.held_count(), 0U);
}

TEST_F(WorkerLoopTest, OffersTheSlotOfAStoppedAttemptOnlyWhenItIsFree) {
  CallAndAnswer(Leases({AttemptOf(1), AttemptOf(2)}));
  CallAndAnswer(Stop(AttemptOf(1)));

  const SynchronizeRequest while_stopping = loop_.BeginCall();
  loop_.OnResponse(now_, Receipts({}));
  Finish(AttemptOf(1));
  const SynchronizeRequest stopped = loop_.BeginCall();

  EXPECT_EQ(while_stopping.running, std::vector{AttemptOf(2)});
  EXPECT_EQ(while_stopping.worker.slot_count, 1);
  EXPECT_EQ(stopped.worker.slot_count, 2);
}

TEST_F(WorkerLoopTest, ReportsAnAttemptThatFinishedBeforeItWasStopped) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  loop_.BeginCall();
  Finish(AttemptOf(1));

  const WorkerLoop::Changes changes = loop_.OnResponse(now_, Stop(AttemptOf(1)));

  EXPECT_TRUE(changes.stop.empty());
  EXPECT_EQ(loop_.BeginCall().finished, std::vector{ReportOf(AttemptOf(1))});
}

TEST_F(WorkerLoopTest, KeepsRunningAttemptsThroughAnOutage) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  CallAndFail(kAway);
  CallAndFail(kAway);

  EXPECT_EQ(loop_.BeginCall().running, std::vector{AttemptOf(1)});
}

TEST_F(WorkerLoopTest, DoesNotCutItsBackOffShortForAFinishedAttempt) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  CallAndFail(kAway);
  const microseconds pause = Pause();

  Finish(AttemptOf(1));

  EXPECT_EQ(Pause(), pause);
}

TEST_F(WorkerLoopTest, ForgetsItsFailuresOnAnAnswer) {
  CallAndFail(kAway);

  CallAndAnswer(SynchronizeResponse{});

  EXPECT_EQ(loop_.failure_count(), 0);
}

TEST_F(WorkerLoopTest, DrainsAtOnceWithoutAttempts) {
  CallAndAnswer(SynchronizeResponse{});
  loop_.StartDraining(now_);
  const microseconds pause = Pause();

  const SynchronizeRequest farewell = loop_.BeginCall();
  loop_.OnResponse(now_, SynchronizeResponse{});

  EXPECT_EQ(pause, microseconds(0));
  EXPECT_TRUE(farewell.worker.is_draining);
  EXPECT_EQ(farewell.max_wait, microseconds(0));
  EXPECT_TRUE(loop_.IsDone());
}

TEST_F(WorkerLoopTest, IsNotDrainedBeforeItsReportsAreAcknowledged) {
  CallAndAnswer(Leases({AttemptOf(1)}));
  loop_.StartDraining(now_);
  CallAndAnswer(SynchronizeResponse{});
  const bool is_done_running = loop_.IsDone();
  Finish(AttemptOf(1));
  CallAndFail(kAway);
  const bool is_done_unreported = loop_.IsDone();
  CallAndAnswer(Receipts({AttemptOf(1)}));
  CallAndAnswer(SynchronizeResponse{});

  EXPECT_FALSE(is_done_running);
  EXPECT_FALSE(is_done_unreported);
  EXPECT_TRUE(loop_.IsDone());
}

TEST_F(WorkerLoopTest, ExecutesALeaseWhoseDeliveryWasLostBeforeItDrained) {
  CallAndFail(kAway);
  loop_.StartDraining(now_);

  const WorkerLoop::Changes changes = CallAndAnswer(Leases({AttemptOf(1)}));

  EXPECT_EQ(changes.start.size(), 1U);
  EXPECT_FALSE(loop_.IsDone());
}

TEST_F(WorkerLoopTest, CancelsAWaitingCallToDrain) {
  CallAndAnswer(Receipts({}));
  loop_.BeginCall();

  loop_.StartDraining(now_);

  EXPECT_EQ(loop_.CancelCallAt(), now_);
}

TEST_F(WorkerLoopTest, DrainsWithoutAGoodbyeWhereNobodyListens) {
  loop_.StartDraining(now_);

  CallAndFail(kAway);

  EXPECT_TRUE(loop_.IsDone());
}

TEST_F(WorkerLoopTest, IsNotDoneBeforeItDrains) {
  CallAndAnswer(SynchronizeResponse{});

  EXPECT_FALSE(loop_.IsDone());
}

TEST_F(WorkerLoopTest, IgnoresTheEndOfAnAttemptThatItDoesNotHold) {
  Finish(AttemptOf(9));

  EXPECT_EQ(loop_.held_count(), 0U);
}

// The windows of ten failures, and the pauses drawn from them.
std::vector<microseconds> PausesOfTenFailures(std::uint64_t seed) {
  BackOff back_off(seed);
  std::vector<microseconds> pauses;
  for (int i = 0; i < 10; ++i) pauses.push_back(back_off.AfterFailure());
  return pauses;
}

bool AreWithinTheirWindows(const std::vector<microseconds>& pauses) {
  microseconds window = kShortestBackOff;
  for (const microseconds pause : pauses) {
    if (pause < microseconds(0) || pause > window) return false;
    window = std::min<microseconds>(window * 2, kLongestBackOff);
  }
  return true;
}

TEST(SupersededWorkerTest, ASupersededWorkerMakesNoFurtherCall) {
  WorkerLoop loop(WorkerOf(1), 1, Time());
  loop.BeginCall();

  loop.OnCallFailed(Time(), SupersededError("w1"));

  EXPECT_TRUE(loop.IsSuperseded());
  EXPECT_FALSE(loop.NextCallAt().has_value());
}

TEST(SupersededWorkerTest, AnyOtherFailureIsTriedAgain) {
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kFailedPrecondition,
                               ErrorCode::kInternal, ErrorCode::kDeadlineExceeded}) {
    WorkerLoop loop(WorkerOf(1), 1, Time());
    loop.BeginCall();

    loop.OnCallFailed(Time(), {code, "not now"});

    EXPECT_FALSE(loop.IsSuperseded());
    EXPECT_TRUE(loop.NextCallAt().has_value());
  }
}

TEST(BackOffTest, DrawsFromAWindowThatDoublesUpToItsLimit) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_TRUE(AreWithinTheirWindows(PausesOfTenFailures(seed))) << "seed " << seed;
  }
}

TEST(BackOffTest, SpreadsWorkersOverTheWholeWindow) {
  microseconds shortest = kLongestBackOff;
  microseconds longest{0};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    shortest = std::min(shortest, PausesOfTenFailures(seed).back());
    longest = std::max(longest, PausesOfTenFailures(seed).back());
  }

  EXPECT_LT(shortest, kLongestBackOff / 20);
  EXPECT_GT(longest, kLongestBackOff * 19 / 20);
}

TEST(BackOffTest, IsAFunctionOfItsSeed) {
  EXPECT_EQ(PausesOfTenFailures(1), PausesOfTenFailures(1));
  EXPECT_NE(PausesOfTenFailures(1), PausesOfTenFailures(2));
}

}  // namespace
}  // namespace schedlab::worker
