#pragma once

#include <chrono>
#include <functional>

#include "core/log.h"
#include "core/result.h"
#include "server/lease_grace.h"
#include "server/store/job_store.h"
#include "server/telemetry.h"

namespace schedlab::server {

struct LeaseSweeperOptions {
  std::chrono::milliseconds lease_ttl{};
  std::function<void()> on_swept;  // runs were queued again or have failed
};

// Takes back the leases that no worker renews, except in the time of grace after its first sweep
// and after an outage of the database. Every coordinator sweeps; a sweep more changes nothing.
// There are no timers to lose: what has expired is asked of the database. Not thread-safe.
class LeaseSweeper {
 public:
  LeaseSweeper(JobStore& store, Log& log, Telemetry& telemetry, LeaseSweeperOptions options);

  Status Sweep(LeaseGrace::Time now);

 private:
  Status Failed(const Error& error, LeaseGrace::Time now);

  JobStore& store_;
  Log& log_;
  Telemetry& telemetry_;
  const std::function<void()> on_swept_;
  LeaseGrace grace_;
};

}  // namespace schedlab::server
