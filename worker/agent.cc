#include "worker/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "proto/rpc/channel.h"
#include "proto/rpc/status.h"
#include "proto/rpc/worker_sync.h"

namespace schedlab::worker {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::string_view kComponent = "worker";
// How long a coordinator may take beyond the time for which it may block. Together they are shorter
// than a lease, so that one whose delivery was lost unnoticed is asked for again in time.
constexpr milliseconds kAnswerTimeout{10'000};
static_assert(kSynchronizeWait + kAnswerTimeout < kLeaseTtl);
// Mail is notified; this only bounds the wait.
constexpr microseconds kLongestSleep{1'000'000};

WorkerLoop::Time Now() { return std::chrono::steady_clock::now(); }

// One report that the coordinator refuses to read would hold up all the others for ever.
AttemptReport Reportable(AttemptReport report) {
  const v1::AttemptReport wire = rpc::Encode(report);
  v1::AttemptReport received;
  const bool is_readable = received.ParseFromString(wire.SerializeAsString());
  const Result<AttemptReport> decoded = rpc::Decode(received);
  if (is_readable && decoded) return report;
  report.outcome = AttemptFailure{
      .message = fmt::format("the outcome cannot be reported: {}",
                             decoded ? "it has text that is not UTF-8" : decoded.error().message),
      .is_retryable = false};
  return report;
}

}  // namespace

Agent::Agent(AgentOptions options, v1::WorkerSyncService::StubInterface& stub,
             RunExecutor& executor, Log& log)
    : options_(std::move(options)),
      stub_(stub),
      log_(log),
      loop_(options_.identity, options_.back_off_seed, Now()),
      slots_(options_.identity.slot_count, executor, [this](AttemptReport report) {
        AttemptReport reportable = Reportable(std::move(report));
        const MutexLock lock(mutex_);
        mail_.finished.push_back(std::move(reportable));
        has_mail_.NotifyOne();
      }) {}

bool Agent::Run() {
  while (!loop_.IsDone()) {
    CancelCallIfDue();
    CallIfDue();
    Mail mail = WaitForMail();
    if (mail.should_stop) {
      if (mail.call_status) call_.reset();
      EndOutstandingCall();
      return false;
    }
    ReadMail(std::move(mail));
    if (loop_.IsSuperseded()) return false;
  }
  EndOutstandingCall();
  log_.Info({kComponent, "drained"});
  return true;
}

void Agent::Drain() {
  const MutexLock lock(mutex_);
  mail_.should_drain = true;
  has_mail_.NotifyOne();
}

void Agent::StopNow() {
  const MutexLock lock(mutex_);
  mail_.should_stop = true;
  has_mail_.NotifyOne();
}

Agent::Mail Agent::WaitForMail() {
  const microseconds timeout = TimeToNextStep();
  const MutexLock lock(mutex_);
  const auto has_mail = [this]() SCHEDLAB_REQUIRES(mutex_) {
    return !mail_.finished.empty() || mail_.call_status || mail_.should_drain || mail_.should_stop;
  };
  // Not in a loop: every step of Run() may come early.
  if (!has_mail() && timeout > microseconds(0)) has_mail_.WaitFor(mutex_, timeout);
  return std::exchange(mail_, Mail{});
}

void Agent::ReadMail(Mail mail) {
  for (AttemptReport& report : mail.finished) {
    log_.Debug({kComponent, "attempt_finished"},
               {{"run_id", report.attempt.run.value}, {"attempt", report.attempt.attempt}});
    loop_.OnAttemptFinished(Now(), std::move(report));
  }
  if (mail.should_drain) {
    log_.Info({kComponent, "draining"}, {{"held_count", loop_.held_count()}});
    loop_.StartDraining(Now());
  }
  if (mail.call_status) FinishCall(*mail.call_status);
}

void Agent::FinishCall(const grpc::Status& status) {
  const std::unique_ptr<Call> call = std::move(call_);
  if (!status.ok()) {
    FailCall(rpc::FromGrpc(status));
    return;
  }
  const Result<SynchronizeResponse> response = rpc::Decode(call->response);
  if (!response) {
    FailCall({ErrorCode::kInternal,
              "cannot read the coordinator's answer: " + response.error().message});
    return;
  }
  LogRecovery();
  Apply(loop_.OnResponse(Now(), *response));
}

void Agent::Apply(const WorkerLoop::Changes& changes) {
  for (const AttemptRef& attempt : changes.stop) {
    log_.Info({kComponent, "attempt_stopped"},
              {{"run_id", attempt.run.value}, {"attempt", attempt.attempt}});
    slots_.Stop(attempt);
  }
  for (const Lease& lease : changes.start) {
    log_.Debug({kComponent, "attempt_started"},
               {{"run_id", lease.attempt.run.value}, {"attempt", lease.attempt.attempt}});
    slots_.Start(lease);
  }
}

void Agent::CallIfDue() {
  const auto due = loop_.NextCallAt();
  if (!due || Now() < *due) return;
  const SynchronizeRequest request = loop_.BeginCall();
  call_ = std::make_unique<Call>();
  call_->request = rpc::Encode(request);
  rpc::SetDeadline(call_->context, duration_cast<milliseconds>(request.max_wait) + kAnswerTimeout);
  stub_.async()->Synchronize(&call_->context, &call_->request, &call_->response,
                             [this](const grpc::Status& status) {
                               const MutexLock lock(mutex_);
                               mail_.call_status = status;
                               has_mail_.NotifyOne();
                             });
}

void Agent::CancelCallIfDue() {
  const auto due = loop_.CancelCallAt();
  if (!call_ || call_->is_cancelled || !due || Now() < *due) return;
  call_->is_cancelled = true;
  call_->context.TryCancel();
}

// gRPC uses the call's memory until it has reported its end.
void Agent::EndOutstandingCall() {
  if (!call_) return;
  call_->context.TryCancel();
  const MutexLock lock(mutex_);
  while (!mail_.call_status) has_mail_.WaitFor(mutex_, kLongestSleep);
  call_.reset();
}

microseconds Agent::TimeToNextStep() const {
  std::optional<WorkerLoop::Time> due = loop_.NextCallAt();
  if (call_ && !call_->is_cancelled) due = loop_.CancelCallAt();
  if (!due) return kLongestSleep;
  return std::clamp(std::chrono::ceil<microseconds>(*due - Now()), microseconds(0), kLongestSleep);
}

// An outage is logged twice: when it begins and when it is over.
void Agent::FailCall(const Error& error) {
  loop_.OnCallFailed(Now(), error);
  if (loop_.IsSuperseded()) {
    log_.Error({kComponent, "superseded"}, {{"error", error.message}});
    return;
  }
  const bool is_failing = loop_.failure_count() > 0;
  if (!is_failing || std::exchange(is_coordinator_lost_, true)) return;
  log_.Warn({kComponent, "coordinator_lost"}, {{"error", error.message}});
}

void Agent::LogRecovery() {
  if (std::exchange(is_coordinator_lost_, false) || !has_connected_) {
    log_.Info({kComponent, "coordinator_found"}, {{"failure_count", loop_.failure_count()}});
  }
  if (has_connected_) return;
  has_connected_ = true;
  if (options_.on_connected) options_.on_connected();
}

}  // namespace schedlab::worker
