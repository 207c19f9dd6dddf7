#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stats/bisection.h"
#include "stats/bisection_evidence.h"
#include "stats/sequential_test.h"

namespace schedlab::stats {

// A step that was found, by places.
struct FoundStep {
  std::size_t place = 0;
  double probability = 0;
  bool is_confirmed = false;
  std::vector<double> posterior;  // over the places of `range`
  PlaceRange range;
};

enum class RangeState {
  kProbing,  // `batch` comes next
  kNotReproduced,
  kGradual,
  kFound,
  kNotConfirmed,  // every suspect failed its fresh runs
};

// What is known of the range between two ends, and what to do next.
struct RangeVerdict {
  RangeState state = RangeState::kProbing;
  bool is_reproduced = false;
  std::vector<Probe> batch;
  std::vector<FoundStep> steps;   // in history order; may be there while probing for more
  std::vector<double> posterior;  // over the places of the range
  std::size_t end_round = static_cast<std::size_t>(-1);  // of the runs that the posterior rests on
};

// Judges one range, and both sides of a step that was confirmed in it. `ends` is the test of its
// two ends.
RangeVerdict JudgeRange(const BisectionEvidence& evidence, const BisectionOptions& options,
                        PlaceRange range, const SequentialDesign& ends);

}  // namespace schedlab::stats
