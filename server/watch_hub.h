#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "core/job.h"
#include "core/mutex.h"
#include "core/result.h"
#include "server/loop.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// Somebody who follows one job. Both calls return at once and come from one thread at a time; the
// last call is one with `is_last` set, or End().
class JobWatcher {
 public:
  virtual ~JobWatcher() = default;
  // Whether the watcher still listens.
  virtual bool is_listening() const = 0;
  virtual void Show(const Job& job, bool is_last) = 0;
  virtual void End(const Error& error) = 0;
};

// Whether nothing about the job changes any more: it has ended and its results are analysed, or it
// was cancelled.
bool IsSettled(const Job& job);

// Shows watched jobs to their watchers after every change, whichever coordinator made it: one query
// for all of them, soon after news and every quarter of a second. Thread-safe.
class WatchHub {
 public:
  WatchHub(JobStore& store, Log& log, Telemetry& telemetry);

  // Shows `job` at once, and then what becomes of it.
  void Add(std::shared_ptr<JobWatcher> watcher, const Job& job);
  // A job may have changed.
  void Wake() { loop_.Wake(); }
  // Ends every watch with kUnavailable, those that are added later too.
  void Drain();

 private:
  // Watchers are shared: gRPC calls back into a stream that the hub has let go of, and the reverse.
  struct Watch {
    std::shared_ptr<JobWatcher> watcher;
    Job shown;
  };

  Status Poll();
  std::vector<JobId> WatchedJobs();
  void ShowChanges(const std::map<JobId, Job>& jobs);

  JobStore& store_;
  Telemetry& telemetry_;
  Mutex mutex_;
  bool is_draining_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::vector<Watch> watches_ SCHEDLAB_GUARDED_BY(mutex_);
  Loop loop_;  // last: it uses the members above
};

}  // namespace schedlab::server
