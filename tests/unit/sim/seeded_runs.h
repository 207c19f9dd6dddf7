#pragma once

#include "tests/unit/sim/runs.h"

namespace schedlab::sim {

using Results = std::vector<RunResult>;

// Seeds 1 to `seed_count`, the first of them twice.
inline Results RunSeeds(const Scenario& scenario, const PolicySpec& policy,
                        std::uint64_t seed_count = 5) {
  Results results = {RunTwice(scenario, policy, 1)};
  for (std::uint64_t seed = 2; seed <= seed_count; ++seed) {
    results.push_back(Simulate(scenario, policy, seed, {}).value());
  }
  return results;
}

inline double Mean(const Results& results, const std::string& metric) {
  double sum = 0;
  for (const RunResult& result : results) sum += result.metrics.at(metric);
  return sum / static_cast<double>(results.size());
}

// Of the means: of the candidate to the baseline.
inline double RelativeChange(const Results& baseline, const Results& candidate,
                             const std::string& metric) {
  return Mean(candidate, metric) / Mean(baseline, metric) - 1;
}

}  // namespace schedlab::sim
