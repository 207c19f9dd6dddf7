#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/bisection.h"
#include "core/catalog.h"
#include "core/result.h"
#include "server/campaigns/bisection_range.h"
#include "server/store/campaign_store.h"
#include "stats/bisection.h"

namespace schedlab::server {

struct KnownProbe {
  PlannedProbe probe;
  bool is_measured = false;  // else it failed, or its run is away
};

// The tries of a commit that failed.
struct FailedRuns {
  std::int64_t count = 0;
  std::string first_failure;

  bool is_given_up() const;
};

// What came of the probes that were asked for.
struct BisectionRuns {
  std::vector<KnownProbe> probes;             // by commit and repetition
  std::vector<stats::BisectionRun> measured;  // in the same order
  std::map<std::int64_t, FailedRuns> failed;  // by commit
};

// Looks the runs of the probes up by their keys: those of another catalog or engine count for
// nothing. Errors are those of Expand().
Result<BisectionRuns> ReadRuns(const Catalog& catalog, const BisectionQuestion& question,
                               const std::vector<RevisionRef>& revisions,
                               const std::vector<PlannedProbe>& probes,
                               const std::vector<CampaignRun>& runs);

}  // namespace schedlab::server
