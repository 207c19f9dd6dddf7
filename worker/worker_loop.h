#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/lease.h"
#include "core/result.h"
#include "core/synchronization.h"
#include "core/worker.h"
#include "worker/back_off.h"

namespace schedlab::worker {

// How long a finished attempt waits for others to finish, so that short runs are reported together.
inline constexpr std::chrono::milliseconds kBatchWindow{3};
// The distance of two calls where the first brought nothing.
inline constexpr std::chrono::milliseconds kShortestPause{20};

// What a worker holds, and what it says and does next: the rules of the Synchronize loop, without
// threads, network or a clock. Calls are made one at a time; each says how things stand, so that it
// does not matter which of them are lost. Not thread-safe.
//
// The first call, and the first after a failure, is a probe: it does not block, so that a
// connection is known as soon as it is there. Later a call may block at the coordinator, with free
// slots until there are runs, and without until an attempt is to be stopped. When an attempt
// finishes meanwhile, that call is cancelled and made anew with the report: no result waits for the
// coordinator's time-out, and nothing polls. Calls that carry a report do not block and are never
// cancelled, so that a fast stream of reports cannot starve itself.
class WorkerLoop {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Attempts whose execution the answer to a call starts and stops.
  struct Changes {
    std::vector<Lease> start;
    std::vector<AttemptRef> stop;
  };

  // The first call is due at `now`.
  WorkerLoop(WorkerIdentity identity, std::uint64_t back_off_seed, Time now);

  // When to call; nullopt while a call is outstanding, and once superseded.
  std::optional<Time> NextCallAt() const;
  // Requires: no call is outstanding.
  SynchronizeRequest BeginCall();
  // When to cancel the outstanding call; nullopt where it is to run its course.
  std::optional<Time> CancelCallAt() const;

  // How the outstanding call ended. A call that was cancelled on CancelCallAt() is no failure.
  Changes OnResponse(Time now, const SynchronizeResponse& response);
  void OnCallFailed(Time now, const Error& error);

  // Execution has ended, also of an attempt that was stopped. Ignored for attempts not held.
  void OnAttemptFinished(Time now, AttemptReport report);

  // From now on no lease is asked for, and the worker is done when its attempts are.
  void StartDraining(Time now);
  // A newer process has this worker's name. Nothing that is held is wanted any more, and no further
  // call is due.
  bool IsSuperseded() const { return is_superseded_; }
  // Drained: nothing is held, and the coordinator knows or cannot be reached.
  bool IsDone() const;

  std::size_t held_count() const { return held_.size(); }
  int failure_count() const { return back_off_.failure_count(); }

 private:
  using Key = std::pair<RunId, std::int32_t>;
  enum class HeldState { kRunning, kStopping, kFinished };
  struct Held {
    AttemptReport report;  // its outcome is meaningless before kFinished
    HeldState state = HeldState::kRunning;
  };
  struct Call {
    bool is_probe = false;     // it may not block, since it is the first or the last one failed
    bool is_waiting = false;   // it may block and carries no report
    bool is_farewell = false;  // it says that the worker drains and holds nothing
  };

  std::int64_t Count(HeldState state) const;
  bool HasFreeSlot() const;
  bool CanExecute(const RunSpec& spec) const;
  void AcceptLease(const Lease& lease, Changes& changes);
  void StopAttempt(const AttemptRef& attempt, Changes& changes);
  bool ForgetReported(const std::vector<ReportReceipt>& receipts);
  void CallBy(Time time);

  WorkerIdentity identity_;
  BackOff back_off_;
  std::map<Key, Held> held_;
  std::optional<Call> call_;
  bool is_connected_ = false;  // the last call was answered
  Time next_call_at_;
  std::optional<Time> cancel_call_at_;
  bool is_farewell_done_ = false;
  bool is_superseded_ = false;
};

}  // namespace schedlab::worker
