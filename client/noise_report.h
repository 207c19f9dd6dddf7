#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/coordinator.h"

namespace schedlab::client {

// Runs of one revision about their own middle. The spread is relative: of logarithms, or in
// multiples of the median where a value is not positive.
struct RevisionNoise {
  RevisionRef revision;
  SampleSummary summary;
  std::optional<double> robust_sd;  // 1.4826 x the median absolute deviation; of 2 runs or more
};

// How many runs a side the gate's test wants in order to call a true change of this size.
struct NoisePlan {
  double effect = 0;  // e.g. 0.02
  // Absent where no number of runs decides: the change is within the metric's minimum effect.
  std::optional<std::int64_t> runs_a_side;
};

// The spread of a series, from stored results alone.
struct NoiseReport {
  Series series;
  bool is_logarithmic = true;
  std::int64_t run_count = 0;
  std::int64_t revision_count = 0;
  std::int64_t segment_count = 1;           // change points split a series; they are no noise
  std::optional<double> within_sd;          // pooled over revisions, n - 1 each
  std::optional<double> within_robust_sd;   // of all residuals about their revision's median
  std::optional<double> between_robust_sd;  // of revisions' medians about their segment's
  std::vector<NoisePlan> plans;
  std::vector<RevisionNoise> revisions;
};

NoiseReport ReportNoise(const SeriesHistory& history);

// Requires: histories of series are as the coordinator answers them.
std::string RenderNoise(const NoiseReport& report);

}  // namespace schedlab::client
