#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <span>
#include <string>

#include "core/ids.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// A lease that ended without a report.
struct LostLease {
  RunId run;
  std::int32_t attempt = 0;
  std::string reason;  // "worker w1 restarted"
};

// Returns the runs to the queue, or fails those whose attempts are used up. Requires: this
// transaction holds the locks of their rows in live_runs; no run is given twice.
SweepOutcome GiveUpLeases(pqxx::work& transaction, std::span<const LostLease> lost);

}  // namespace schedlab::server
