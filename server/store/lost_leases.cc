#include "server/store/lost_leases.h"

#include <fmt/format.h>

#include <vector>

#include "core/limits.h"
#include "server/store/run_rows.h"

namespace schedlab::server {

SweepOutcome GiveUpLeases(pqxx::work& transaction, std::span<const LostLease> lost) {
  std::vector<RunId> requeued;
  std::vector<EndedRun> failed;
  for (const LostLease& lease : lost) {
    if (lease.attempt < kMaxAttempts) {
      requeued.push_back(lease.run);
      continue;
    }
    failed.push_back({.run = lease.run,
                      .outcome = RunState::kFailed,
                      .failure = fmt::format("attempt {} of {} brought no result: {}",
                                             lease.attempt, kMaxAttempts, lease.reason)});
  }
  RequeueRuns(transaction, requeued);
  EndRuns(transaction, failed);
  return {.requeued_count = static_cast<std::int64_t>(requeued.size()),
          .failed_count = static_cast<std::int64_t>(failed.size())};
}

}  // namespace schedlab::server
