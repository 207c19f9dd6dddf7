#include "server/lease_sweeper.h"

#include <utility>

namespace schedlab::server {

LeaseSweeper::LeaseSweeper(JobStore& store, Log& log, Telemetry& telemetry,
                           LeaseSweeperOptions options)
    : store_(store),
      log_(log),
      telemetry_(telemetry),
      on_swept_(std::move(options.on_swept)),
      grace_(options.lease_ttl) {}

Status LeaseSweeper::Sweep(LeaseGrace::Time now) {
  // Asked for its answer alone during the time of grace: an outage then begins it anew.
  if (!grace_.IsOver(now)) {
    const Result<QueueSnapshot> queue = store_.ReadQueue();
    return queue ? Status() : Failed(queue.error(), now);
  }
  const Result<SweepOutcome> swept = store_.ExpireLeases();
  if (!swept) return Failed(swept.error(), now);
  if (swept->requeued_count + swept->failed_count == 0) return {};
  telemetry_.CountExpiredLeases(swept->requeued_count + swept->failed_count);
  log_.Warn({"lease_sweeper", "leases_expired"},
            {{"requeued_count", swept->requeued_count}, {"failed_count", swept->failed_count}});
  on_swept_();
  return {};
}

Status LeaseSweeper::Failed(const Error& error, LeaseGrace::Time now) {
  if (error.code == ErrorCode::kUnavailable) grace_.BeginAnew(now);
  return Fail(error);
}

}  // namespace schedlab::server
