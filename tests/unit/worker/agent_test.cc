#include "worker/agent.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <thread>

#include "proto/rpc/channel.h"
#include "proto/rpc/status.h"
#include "proto/rpc/worker_sync.h"
#include "tests/support/sample_values.h"

namespace schedlab::worker {
namespace {

constexpr std::chrono::milliseconds kPoll{5};

// Leases one run, then takes its report. A call that may block does so until it is cancelled.
class OneRunCoordinator final : public v1::WorkerSyncService::Service {
 public:
  grpc::Status Synchronize(grpc::ServerContext* context, const v1::SynchronizeRequest* wire,
                           v1::SynchronizeResponse* response) override {
    const Result<SynchronizeRequest> request = rpc::Decode(*wire);
    if (!request) return {grpc::StatusCode::INVALID_ARGUMENT, request.error().message};
    const MutexLock lock(mutex_);
    SynchronizeResponse answer;
    answer.next_call_in = std::chrono::seconds(1);
    for (const AttemptReport& report : request->finished) {
      reports_.push_back(report);
      answer.receipts.push_back({.run = report.attempt.run, .attempt = report.attempt.attempt});
    }
    if (!is_leased_) {
      answer.leases.push_back({.attempt = {.run = RunId{1}, .attempt = 1, .token = "t"},
                               .spec = testing::SampleRunSpec()});
      answer.next_call_in = {};
      is_leased_ = true;
    } else if (request->max_wait.count() > 0) {
      Block(*context);
    }
    changed_.NotifyAll();
    if (is_superseded_) return rpc::ToGrpc(SupersededError(request->worker.name));
    *response = rpc::Encode(answer);
    return grpc::Status::OK;
  }

  void WaitForBlockedCall() {
    const MutexLock lock(mutex_);
    while (blocked_count_ == 0) changed_.WaitFor(mutex_, kPoll);
  }
  // Ends the call that blocks, and refuses it and every later one.
  void Supersede() {
    const MutexLock lock(mutex_);
    is_superseded_ = true;
    changed_.NotifyAll();
  }
  std::vector<AttemptReport> WaitForReports(std::size_t count) {
    const MutexLock lock(mutex_);
    while (reports_.size() < count) changed_.WaitFor(mutex_, kPoll);
    return reports_;
  }

 private:
  void Block(const grpc::ServerContext& context) SCHEDLAB_REQUIRES(mutex_) {
    ++blocked_count_;
    changed_.NotifyAll();
    while (!context.IsCancelled() && !is_superseded_) changed_.WaitFor(mutex_, kPoll);
    --blocked_count_;
  }

  Mutex mutex_;
  ConditionVariable changed_;
  bool is_superseded_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  bool is_leased_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  int blocked_count_ SCHEDLAB_GUARDED_BY(mutex_) = 0;
  std::vector<AttemptReport> reports_ SCHEDLAB_GUARDED_BY(mutex_);
};

class FunctionExecutor final : public RunExecutor {
 public:
  using Function = std::function<AttemptOutcome(const std::stop_token&)>;
  explicit FunctionExecutor(Function function) : function_(std::move(function)) {}
  AttemptOutcome Execute(const RunSpec& /*spec*/, std::stop_token stop) override {
    return function_(stop);
  }

 private:
  const Function function_;
};

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&coordinator_);
    server_ = builder.BuildAndStart();
    stub_ = v1::WorkerSyncService::NewStub(server_->InProcessChannel({}));
  }
  ~AgentTest() override { server_->Shutdown(); }

  static AgentOptions Options(std::function<void()> on_connected = {}) {
    WorkerIdentity identity = testing::SampleWorker();
    identity.slot_count = 2;
    identity.is_draining = false;
    return {.identity = identity, .back_off_seed = 1, .on_connected = std::move(on_connected)};
  }

  OneRunCoordinator coordinator_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::WorkerSyncService::Stub> stub_;
  SystemClock clock_;
  Log log_{clock_, LogLevel::kError, [](std::string_view line) { ADD_FAILURE() << line; }};
};

TEST_F(AgentTest, ExecutesALeaseReportsItAndDrains) {
  FunctionExecutor executor([](const std::stop_token&) { return testing::SampleRunResult(); });
  Agent agent(Options(), *stub_, executor, log_);
  bool is_drained = false;

  std::jthread thread([&] { is_drained = agent.Run(); });
  const std::vector<AttemptReport> reports = coordinator_.WaitForReports(1);
  agent.Drain();
  thread.join();

  EXPECT_TRUE(is_drained);
  EXPECT_EQ(std::get<RunResult>(reports.front().outcome), testing::SampleRunResult());
}

TEST_F(AgentTest, ReportsWhileACallIsBlocked) {
  FunctionExecutor executor([this](const std::stop_token&) {
    coordinator_.WaitForBlockedCall();
    return testing::SampleRunResult();
  });
  Agent agent(Options(), *stub_, executor, log_);

  std::jthread thread([&] { agent.Run(); });

  EXPECT_EQ(coordinator_.WaitForReports(1).size(), 1U);
  agent.StopNow();
}

TEST_F(AgentTest, ReportsAFailureInPlaceOfAResultThatCannotBeSent) {
  FunctionExecutor executor([](const std::stop_token&) {
    RunResult result = testing::SampleRunResult();
    result.metrics["elapsed_seconds"] = std::numeric_limits<double>::infinity();
    return result;
  });
  Agent agent(Options(), *stub_, executor, log_);

  std::jthread thread([&] { agent.Run(); });
  const std::vector<AttemptReport> reports = coordinator_.WaitForReports(1);
  agent.StopNow();

  EXPECT_EQ(std::get<AttemptFailure>(reports.front().outcome).message,
            "the outcome cannot be reported: result.metrics[elapsed_seconds] must be a finite "
            "number");
}

TEST_F(AgentTest, EndsAtOnceWhenItIsTold) {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> is_stopped = false;
  FunctionExecutor executor([&](const std::stop_token& stop) {
    has_begun = true;
    while (!stop.stop_requested()) std::this_thread::yield();
    is_stopped = true;
    return AttemptFailure{.message = "stopped", .is_retryable = true};
  });
  bool is_drained = true;
  {
    Agent agent(Options(), *stub_, executor, log_);
    std::jthread thread([&] { is_drained = agent.Run(); });
    coordinator_.WaitForBlockedCall();
    while (!has_begun) std::this_thread::yield();
    agent.StopNow();
  }

  EXPECT_FALSE(is_drained);
  EXPECT_TRUE(is_stopped);
}

TEST_F(AgentTest, SaysOnceThatItIsConnected) {
  FunctionExecutor executor([](const std::stop_token&) { return testing::SampleRunResult(); });
  std::atomic<int> connected_count = 0;
  Agent agent(Options([&] { ++connected_count; }), *stub_, executor, log_);

  std::jthread thread([&] { agent.Run(); });
  coordinator_.WaitForReports(1);
  agent.Drain();
  thread.join();

  EXPECT_EQ(connected_count, 1);
}

TEST_F(AgentTest, EndsWithAnErrorWhenANewerProcessHasItsName) {
  std::atomic<bool> is_stopped = false;
  FunctionExecutor executor([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    is_stopped = true;
    return AttemptFailure{.message = "stopped", .is_retryable = true};
  });
  std::string errors;
  Log log(clock_, LogLevel::kError, [&](std::string_view line) { errors += line; });
  bool is_drained = true;
  {
    Agent agent(Options(), *stub_, executor, log);
    std::jthread thread([&] { is_drained = agent.Run(); });
    coordinator_.WaitForBlockedCall();
    coordinator_.Supersede();
    thread.join();
  }

  EXPECT_FALSE(is_drained);
  EXPECT_TRUE(is_stopped);
  EXPECT_NE(errors.find("choose another --name"), std::string::npos) << errors;
}

TEST_F(AgentTest, DrainsWithoutACoordinator) {
  const auto stub = v1::WorkerSyncService::NewStub(rpc::MakeChannel("unix:/nonexistent/socket"));
  FunctionExecutor executor([](const std::stop_token&) { return testing::SampleRunResult(); });
  Agent agent(Options(), *stub, executor, log_);

  agent.Drain();

  EXPECT_TRUE(agent.Run());
}

}  // namespace
}  // namespace schedlab::worker
