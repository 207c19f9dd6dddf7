#include "stats/outlying_runs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

// Of the 4,800 runs of a gate over 200 cells, 0.3 normal ones lie so far out.
constexpr double kThresholdSd = 4;

constexpr std::size_t kFewestRunsForSpread = 10;
constexpr std::size_t kFewestPairsForSpread = 5;

std::vector<double> ResidualsOf(std::span<const double> samples) {
  const double median = Median(samples);
  std::vector<double> residuals(samples.begin(), samples.end());
  for (double& value : residuals) value -= median;
  return residuals;
}

std::vector<std::size_t> FurtherThan(const std::vector<double>& residuals, double limit) {
  std::vector<std::size_t> indexes;
  // Without a spread any difference would be far out, and it is the unit of a counter.
  if (!(limit > 0)) return indexes;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (std::abs(residuals[i]) > limit) indexes.push_back(i);
  }
  return indexes;
}

double Limit(const std::vector<double>& residuals, std::size_t fewest,
             const std::optional<NoiseHistory>& history) {
  double stddev = history ? history->stddev : 0;
  if (residuals.size() >= fewest) stddev = std::max(stddev, RobustStddev(residuals, 0));
  return kThresholdSd * stddev;
}

}  // namespace

OutlyingRuns FindOutlyingRuns(const TwoSamples& samples,
                              const std::optional<NoiseHistory>& history) {
  const std::vector<double> baseline = ResidualsOf(samples.baseline);
  const std::vector<double> candidate = ResidualsOf(samples.candidate);
  std::vector<double> all = baseline;
  all.insert(all.end(), candidate.begin(), candidate.end());
  const double limit = Limit(all, kFewestRunsForSpread, history);
  return {.baseline = FurtherThan(baseline, limit), .candidate = FurtherThan(candidate, limit)};
}

OutlyingRuns FindOutlyingPairs(const TwoSamples& pairs,
                               const std::optional<NoiseHistory>& history) {
  SCHEDLAB_CHECK(pairs.baseline.size() == pairs.candidate.size());
  std::vector<double> differences(pairs.candidate.begin(), pairs.candidate.end());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= pairs.baseline[i];
  const std::vector<double> residuals = ResidualsOf(differences);
  const std::vector<std::size_t> outlying =
      FurtherThan(residuals, Limit(residuals, kFewestPairsForSpread, history));
  return {.baseline = outlying, .candidate = outlying};
}

}  // namespace schedlab::stats
