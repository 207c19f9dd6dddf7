#include "stats/bound_tests.h"

#include <algorithm>

#include "stats/rank_tests.h"

namespace schedlab::stats {

bool HasRunsForRanks(const TwoSamples& samples) {
  return std::min(samples.baseline.size(), samples.candidate.size()) >= kFewestRunsForRanks;
}

double RankPValue(const ScaledSamples& scaled, double bound, Alternative alternative,
                  bool is_paired) {
  std::vector<double> moved = scaled.baseline;
  for (double& value : moved) value += bound;
  const TwoSamples samples{.baseline = moved, .candidate = scaled.candidate};
  return is_paired ? SignedRank(samples, alternative)->p_value
                   : MannWhitney(samples, alternative)->p_value;
}

double GuardedTest::PValue(double bound, Alternative alternative) const {
  const double p_value = stats::PValue(difference, bound, alternative);
  const bool is_asked =
      p_value <= level && difference.standard_error > 0 && HasRunsForRanks(scaled.View());
  if (!is_asked) return p_value;
  const double by_ranks = RankPValue(scaled, bound, alternative, is_paired);
  return by_ranks <= level ? p_value : by_ranks;
}

}  // namespace schedlab::stats
