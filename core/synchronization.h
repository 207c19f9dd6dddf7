#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/worker.h"

namespace schedlab {

// How things stand at a worker, as it says with every call.
struct SynchronizeRequest {
  WorkerIdentity worker;
  std::vector<AttemptRef> running;
  std::vector<AttemptReport> finished;   // not acknowledged yet; at most kMaxReportsPerCall
  std::chrono::microseconds max_wait{};  // how long the call may block

  friend bool operator==(const SynchronizeRequest&, const SynchronizeRequest&) = default;
};

// The answer to one report: the worker may forget the attempt.
struct ReportReceipt {
  RunId run;
  std::int32_t attempt = 0;
  ReportDisposition disposition = ReportDisposition::kAccepted;

  friend bool operator==(const ReportReceipt&, const ReportReceipt&) = default;
};

// How things should stand at the worker.
struct SynchronizeResponse {
  std::vector<Lease> leases;     // to execute, in addition to what runs; at most kMaxLeasesPerCall
  std::vector<AttemptRef> stop;  // to stop and forget
  std::vector<ReportReceipt> receipts;
  std::chrono::microseconds next_call_in{};

  friend bool operator==(const SynchronizeResponse&, const SynchronizeResponse&) = default;
};

}  // namespace schedlab
