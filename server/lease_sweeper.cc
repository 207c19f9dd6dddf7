#include "server/lease_sweeper.h"

#include <utility>

namespace schedlab::server {

LeaseSweeper::LeaseSweeper(JobStore& store, Log& log, Telemetry& telemetry,
                           std::function<void()> on_swept)
    : store_(store), log_(log), telemetry_(telemetry), on_swept_(std::move(on_swept)) {}

Status LeaseSweeper::Sweep() {
  const Result<SweepOutcome> swept = store_.ExpireLeases();
  if (!swept) return Fail(swept.error());
  if (swept->requeued_count + swept->failed_count == 0) return {};
  telemetry_.CountExpiredLeases(swept->requeued_count + swept->failed_count);
  log_.Warn({"lease_sweeper", "leases_expired"},
            {{"requeued_count", swept->requeued_count}, {"failed_count", swept->failed_count}});
  on_swept_();
  return {};
}

}  // namespace schedlab::server
