#include "stats/two_samples.h"

#include <fmt/format.h>

#include "stats/summary.h"

namespace schedlab::stats {

Status CheckSides(const TwoSamples& samples) {
  if (samples.baseline.empty() || samples.candidate.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("there are {} baseline and {} candidate samples",
                            samples.baseline.size(), samples.candidate.size()));
  }
  if (const Status status = CheckFinite(samples.baseline); !status) return Fail(status.error());
  return CheckFinite(samples.candidate);
}

Status CheckPairs(const TwoSamples& pairs) {
  if (const Status status = CheckSides(pairs); !status) return Fail(status.error());
  if (pairs.baseline.size() != pairs.candidate.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} baseline and {} candidate samples are no pairs",
                            pairs.baseline.size(), pairs.candidate.size()));
  }
  return {};
}

}  // namespace schedlab::stats
