#include "worker/worker_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/limits.h"

namespace schedlab::worker {
namespace {

// A coordinator that asks for a longer silence is mistaken: leases would expire.
constexpr std::chrono::microseconds kLongestPause = kLeaseTtl;

}  // namespace

WorkerLoop::WorkerLoop(WorkerIdentity identity, std::uint64_t back_off_seed, Time now)
    : identity_(std::move(identity)), back_off_(back_off_seed), next_call_at_(now) {}

std::optional<WorkerLoop::Time> WorkerLoop::NextCallAt() const {
  if (call_ || is_superseded_) return std::nullopt;
  return next_call_at_;
}

std::optional<WorkerLoop::Time> WorkerLoop::CancelCallAt() const {
  if (!call_ || !call_->is_waiting) return std::nullopt;
  return cancel_call_at_;
}

SynchronizeRequest WorkerLoop::BeginCall() {
  SCHEDLAB_CHECK(!call_);
  SynchronizeRequest request{.worker = identity_, .running = {}, .finished = {}, .max_wait = {}};
  // An attempt that is being stopped is given up, but its slot is not free yet.
  request.worker.slot_count -= static_cast<std::int32_t>(Count(HeldState::kStopping));
  for (const auto& [key, held] : held_) {
    const bool fits = request.finished.size() < static_cast<std::size_t>(kMaxReportsPerCall);
    if (held.state == HeldState::kFinished && fits) {
      request.finished.push_back(held.report);
    } else if (held.state != HeldState::kStopping) {
      request.running.push_back(held.report.attempt);
    }
  }
  const bool is_farewell = identity_.is_draining && held_.empty();
  if (is_connected_ && !is_farewell && request.finished.empty()) {
    request.max_wait = kSynchronizeWait;
  }
  call_ = Call{.is_probe = !is_connected_,
               .is_waiting = request.max_wait.count() > 0,
               .is_farewell = is_farewell};
  cancel_call_at_.reset();
  return request;
}

WorkerLoop::Changes WorkerLoop::OnResponse(Time now, const SynchronizeResponse& response) {
  SCHEDLAB_CHECK(call_.has_value());
  const Call call = *call_;
  call_.reset();
  is_connected_ = true;
  back_off_.Reset();
  Changes changes;
  const bool has_forgotten = ForgetReported(response.receipts);
  for (const AttemptRef& attempt : response.stop) StopAttempt(attempt, changes);
  for (const Lease& lease : response.leases) AcceptLease(lease, changes);

  const bool has_brought_nothing = !has_forgotten && changes.start.empty() && changes.stop.empty();
  const Time earliest = has_brought_nothing ? now + kShortestPause : now;
  next_call_at_ = std::max(earliest, now + std::min(response.next_call_in, kLongestPause));
  is_farewell_done_ = call.is_farewell && held_.empty();
  const bool has_more_to_say = cancel_call_at_ || Count(HeldState::kFinished) > 0 ||
                               (identity_.is_draining && held_.empty()) ||
                               (call.is_probe && has_brought_nothing);
  if (has_more_to_say) CallBy(std::max(earliest, cancel_call_at_.value_or(now)));
  return changes;
}

void WorkerLoop::OnCallFailed(Time now, const Error& error) {
  SCHEDLAB_CHECK(call_.has_value());
  const Call call = *call_;
  call_.reset();
  if (cancel_call_at_ && call.is_waiting && error.code == ErrorCode::kCancelled) {
    next_call_at_ = now;
    return;
  }
  is_connected_ = false;
  is_superseded_ = error.code == ErrorCode::kAborted;
  next_call_at_ = now + back_off_.AfterFailure();
  // Whoever cannot be reached need not be told goodbye.
  is_farewell_done_ = call.is_farewell;
}

void WorkerLoop::OnAttemptFinished(Time now, AttemptReport report) {
  const auto found = held_.find(Key(report.attempt.run, report.attempt.attempt));
  if (found == held_.end()) return;
  if (found->second.state == HeldState::kStopping) {
    held_.erase(found);
    CallBy(now);
    return;
  }
  found->second.report = std::move(report);
  found->second.state = HeldState::kFinished;
  const bool are_others_running = Count(HeldState::kRunning) > 0;
  CallBy(are_others_running ? now + kBatchWindow : now);
}

void WorkerLoop::StartDraining(Time now) {
  if (identity_.is_draining) return;
  identity_.is_draining = true;
  back_off_.Reset();
  CallBy(now);
}

bool WorkerLoop::IsDone() const {
  return identity_.is_draining && held_.empty() && is_farewell_done_;
}

std::int64_t WorkerLoop::Count(HeldState state) const {
  return std::count_if(held_.begin(), held_.end(),
                       [state](const auto& entry) { return entry.second.state == state; });
}

bool WorkerLoop::HasFreeSlot() const {
  return Count(HeldState::kRunning) + Count(HeldState::kStopping) < identity_.slot_count;
}

bool WorkerLoop::CanExecute(const RunSpec& spec) const {
  const auto& executors = identity_.executors;
  return std::find(executors.begin(), executors.end(), spec.executor) != executors.end() &&
         spec.engine_version == identity_.engine_version;
}

void WorkerLoop::AcceptLease(const Lease& lease, Changes& changes) {
  const Key key(lease.attempt.run, lease.attempt.attempt);
  if (held_.contains(key)) return;  // delivered before
  if (!CanExecute(lease.spec)) {
    const std::string message =
        fmt::format("worker '{}' executes simulated runs of engine {}, not {} runs of engine {}",
                    identity_.name, identity_.engine_version, ToString(lease.spec.executor),
                    lease.spec.engine_version);
    held_[key] = {.report = {.attempt = lease.attempt,
                             .outcome = AttemptFailure{.message = message, .is_retryable = true}},
                  .state = HeldState::kFinished};
    return;
  }
  // More than asked for: what is not taken is redelivered, or expires.
  if (!HasFreeSlot()) return;
  held_[key] = {.report = {.attempt = lease.attempt, .outcome = {}}, .state = HeldState::kRunning};
  changes.start.push_back(lease);
}

// One that has finished is reported nevertheless: the coordinator keeps it as an orphan.
void WorkerLoop::StopAttempt(const AttemptRef& attempt, Changes& changes) {
  const auto found = held_.find(Key(attempt.run, attempt.attempt));
  if (found == held_.end() || found->second.state != HeldState::kRunning) return;
  found->second.state = HeldState::kStopping;
  changes.stop.push_back(found->second.report.attempt);
}

bool WorkerLoop::ForgetReported(const std::vector<ReportReceipt>& receipts) {
  bool has_forgotten = false;
  for (const ReportReceipt& receipt : receipts) {
    const auto found = held_.find(Key(receipt.run, receipt.attempt));
    if (found == held_.end() || found->second.state != HeldState::kFinished) continue;
    held_.erase(found);
    has_forgotten = true;
  }
  return has_forgotten;
}

// While a call is outstanding, the news wait for its end or end it; after failures, for the
// back-off.
void WorkerLoop::CallBy(Time time) {
  if (call_) {
    cancel_call_at_ = std::min(cancel_call_at_.value_or(time), time);
  } else if (back_off_.failure_count() == 0) {
    next_call_at_ = std::min(next_call_at_, time);
  }
}

}  // namespace schedlab::worker
