#pragma once

#include <vector>

#include "core/bisection.h"
#include "core/catalog.h"
#include "core/result.h"
#include "stats/bisection.h"

namespace schedlab::server {

// The commits of a bisection, in history order, from the good end to the bad end.
struct BisectionCommits {
  std::vector<RevisionRef> revisions;
  std::vector<stats::BisectionCommit> commits;  // parallel to them
};

// Settles what a bisection searches. kNotFound: a name that the catalog lacks. kInvalidArgument: a
// question that cannot be one. kFailedPrecondition: ends in the wrong order.
Result<BisectionRange> ResolveRange(const Catalog& catalog, const BisectionQuestion& question);

// kFailedPrecondition: the history of the catalog is another one than when the range was settled.
Result<BisectionCommits> CommitsOf(const Catalog& catalog, const BisectionCampaign& bisection);

}  // namespace schedlab::server
