#pragma once

#include <functional>

#include "core/log.h"
#include "core/result.h"
#include "server/store/job_store.h"
#include "server/telemetry.h"

namespace schedlab::server {

// Takes back the leases that no worker renews. Every coordinator sweeps; a sweep more changes
// nothing. There are no timers to lose: what has expired is asked of the database.
class LeaseSweeper {
 public:
  // `on_swept` is called when runs were queued again or have failed.
  LeaseSweeper(JobStore& store, Log& log, Telemetry& telemetry, std::function<void()> on_swept);

  Status Sweep();

 private:
  JobStore& store_;
  Log& log_;
  Telemetry& telemetry_;
  const std::function<void()> on_swept_;
};

}  // namespace schedlab::server
