#pragma once

#include <chrono>
#include <vector>

#include "core/result.h"
#include "core/synchronization.h"
#include "server/store/job_store.h"

namespace schedlab::server {

struct Synchronization {
  SynchronizeResponse response;
  std::vector<std::chrono::microseconds> queue_waits;  // of the runs that were leased now
};

// Answers a worker's call as things stand, without waiting; next_call_in is left 0. Any failure
// leaves a state from which the same call may be repeated.
Result<Synchronization> Synchronize(JobStore& store, const SynchronizeRequest& request);

// Whether the response must be sent at once. One without news may be held back for LongestWait(),
// while Synchronize() is repeated with the request's reports left out.
bool HasNews(const SynchronizeResponse& response);

// As long as the worker waits, but not past the time when its leases want to be renewed.
std::chrono::microseconds LongestWait(const SynchronizeRequest& request,
                                      std::chrono::microseconds lease_ttl);

// When a worker that gets `response` should call again if none of its attempts finishes before.
// `jitter` in [0, 1) spreads the workers out, so that those who lost a coordinator in the same
// second do not all come back in the same second.
std::chrono::microseconds NextCallIn(const SynchronizeRequest& request,
                                     const SynchronizeResponse& response,
                                     std::chrono::microseconds lease_ttl, double jitter);

}  // namespace schedlab::server
