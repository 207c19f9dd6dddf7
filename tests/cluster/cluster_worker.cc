#include "tests/cluster/cluster_worker.h"

#include <fmt/format.h>

#include <utility>

#include "core/check.h"

namespace schedlab::testing {
namespace {

using std::chrono::microseconds;

// How long an attempt goes on after it was told to stop.
constexpr std::chrono::milliseconds kStopDelay{20};

std::string NameOf(const AttemptRef& attempt) {
  return fmt::format("run {} attempt {}", attempt.run.value, attempt.attempt);
}

}  // namespace

ClusterWorker::ClusterWorker(ClusterWorkerOptions options, ClusterParts parts)
    : options_(std::move(options)), parts_(std::move(parts)) {}

void ClusterWorker::Start() {
  SCHEDLAB_CHECK(!is_alive());
  ++incarnation_count_;
  WorkerIdentity identity = options_.identity;
  identity.incarnation = fmt::format("{}-{}-{}", name(), options_.seed, incarnation_count_);
  loop_.emplace(identity, options_.seed + static_cast<std::uint64_t>(incarnation_count_), Now());
  slots_ = std::make_shared<Slots>();
  Say("starts");
  Step();
}

void ClusterWorker::Kill() {
  if (!is_alive()) return;
  if (exchange_) exchange_->on_end = nullptr;
  exchange_.reset();
  loop_.reset();
  slots_.reset();
  Say("dies");
}

void ClusterWorker::Drain() {
  if (!is_alive()) return;
  Say("drains");
  loop_->StartDraining(Now());
  Step();
}

worker::WorkerLoop::Time ClusterWorker::Now() const {
  return worker::WorkerLoop::Time(parts_.timeline.now());
}

void ClusterWorker::Step() {
  if (loop_->IsDone()) {
    Say("is drained");
    loop_.reset();
    slots_.reset();
    return;
  }
  if (loop_->IsSuperseded()) {
    Say("is superseded and ends");
    loop_.reset();
    slots_.reset();
    return;
  }
  if (const auto cancel_at = loop_->CancelCallAt()) {
    if (*cancel_at > Now()) return WakeAt(*cancel_at);
    return exchange_->End(Fail(ErrorCode::kCancelled, "cancelled"));
  }
  if (const auto call_at = loop_->NextCallAt()) {
    if (*call_at > Now()) return WakeAt(*call_at);
    BeginCall();
  }
}

void ClusterWorker::BeginCall() {
  exchange_ =
      parts_.network.Call(link_, loop_->BeginCall(),
                          [this](const Result<SynchronizeResponse>& result) { EndCall(result); });
}

void ClusterWorker::EndCall(const Result<SynchronizeResponse>& result) {
  exchange_.reset();
  if (result) {
    const worker::WorkerLoop::Changes changes = loop_->OnResponse(Now(), *result);
    for (const AttemptRef& attempt : changes.stop) StopAttempt(attempt);
    for (const Lease& lease : changes.start) StartAttempt(lease);
  } else {
    loop_->OnCallFailed(Now(), result.error());
  }
  Step();
}

void ClusterWorker::StartAttempt(const Lease& lease) {
  Say("starts " + NameOf(lease.attempt));
  if (!parts_.started.insert(lease.attempt).second) {
    parts_.violations.push_back(NameOf(lease.attempt) + " was started twice");
  }
  slots_->executing.insert(lease.attempt);
  if (static_cast<std::int32_t>(slots_->executing.size()) > options_.identity.slot_count) {
    parts_.violations.push_back(name() + " executes more attempts than it has slots");
  }
  const AttemptReport report{.attempt = lease.attempt,
                             .outcome = parts_.workbook.outcome_of(lease)};
  parts_.timeline.After(parts_.workbook.duration_of(lease),
                        [this, slots = slots_, report] { EndAttempt(slots, report); });
}

void ClusterWorker::StopAttempt(const AttemptRef& attempt) {
  Say("stops " + NameOf(attempt));
  const AttemptReport report{.attempt = attempt,
                             .outcome = AttemptFailure{.message = "stopped", .is_retryable = true}};
  parts_.timeline.After(kStopDelay, [this, slots = slots_, report] { EndAttempt(slots, report); });
}

// Of an attempt that was stopped, whichever end comes first counts.
void ClusterWorker::EndAttempt(const std::shared_ptr<Slots>& slots, const AttemptReport& report) {
  if (slots != slots_ || slots->executing.erase(report.attempt) == 0) return;
  Say("ends " + NameOf(report.attempt));
  loop_->OnAttemptFinished(Now(), report);
  Step();
}

void ClusterWorker::WakeAt(worker::WorkerLoop::Time time) {
  const auto delay = std::chrono::ceil<microseconds>(time - Now());
  parts_.timeline.After(delay, [this, slots = slots_] {
    if (slots_ != nullptr && slots == slots_) Step();
  });
}

}  // namespace schedlab::testing
