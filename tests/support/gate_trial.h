#pragma once

#include <cstdint>
#include <vector>

#include "stats/gate.h"
#include "tests/support/noisy_series.h"

namespace schedlab::testing {

// A gate over metrics whose truth is known.
struct GateTrialSpec {
  NoiseKind kind = NoiseKind::kNormal;
  std::vector<double> changes;  // true ones, relative, one metric each; lower is better
  double noise = 0.02;          // coefficient of variation
  double minimum_effect = 0;
  std::int64_t history_runs = 21;  // one more than its degrees of freedom; 0 = no history
  bool is_paired = false;
};

// What came of one gate that got all the runs it asked for.
struct GateTrial {
  stats::GateResult result;
  std::vector<std::int64_t> runs;  // a side that each metric came to: the larger side
};

// Each metric has a scenario, and thereby runs, of its own.
GateTrial RunGateTrial(const GateTrialSpec& spec, const stats::LookPlan& plan, std::uint64_t seed);

int CountVerdicts(const GateTrial& trial, stats::Verdict verdict);

}  // namespace schedlab::testing
