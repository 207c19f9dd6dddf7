#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/worker.h"
#include "tests/cluster/loopback.h"
#include "tests/cluster/timeline.h"
#include "tests/cluster/watched_job_store.h"
#include "worker/run_executor.h"
#include "worker/worker_loop.h"

namespace schedlab::testing {

// How attempts go: how long one takes and what comes of it.
struct Workbook {
  std::function<std::chrono::microseconds(const Lease&)> duration_of;
  std::function<worker::AttemptOutcome(const Lease&)> outcome_of;
};

struct ClusterWorkerOptions {
  WorkerIdentity identity;  // its incarnation is made anew with every start
  std::uint64_t seed = 0;
};

// What a worker shares with the rest of its cluster.
struct ClusterParts {
  Timeline& timeline;
  Loopback& network;
  const Workbook& workbook;
  Violations& violations;
  std::set<AttemptRef>& started;  // every attempt that was ever started
  std::function<void(const std::string&)> narrate;
};

// A worker process: a WorkerLoop whose attempts take simulated time. Killed, it loses all it holds;
// started again, it has the same name and another incarnation.
class ClusterWorker {
 public:
  ClusterWorker(ClusterWorkerOptions options, ClusterParts parts);

  void Start();
  void Kill();
  void Drain();
  bool is_alive() const { return loop_.has_value(); }
  std::size_t held_count() const { return loop_ ? loop_->held_count() : 0; }
  Link& link() { return link_; }
  const std::string& name() const { return options_.identity.name; }

 private:
  // The slots of one incarnation. Shared with the actions that end its attempts, which outlive it.
  struct Slots {
    std::set<AttemptRef> executing;
  };

  worker::WorkerLoop::Time Now() const;
  // Does what is due; called after everything that happens to the loop.
  void Step();
  void BeginCall();
  void EndCall(const Result<SynchronizeResponse>& result);
  void StartAttempt(const Lease& lease);
  void StopAttempt(const AttemptRef& attempt);
  void EndAttempt(const std::shared_ptr<Slots>& slots, const AttemptReport& report);
  void WakeAt(worker::WorkerLoop::Time time);
  void Say(const std::string& text) const { parts_.narrate(name() + ": " + text); }

  const ClusterWorkerOptions options_;
  const ClusterParts parts_;
  Link link_;
  std::optional<worker::WorkerLoop> loop_;
  std::shared_ptr<Slots> slots_;
  ExchangeRef exchange_;
  std::int64_t incarnation_count_ = 0;
};

}  // namespace schedlab::testing
