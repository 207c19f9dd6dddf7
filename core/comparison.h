#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/series.h"

namespace schedlab {

// What a comparison says of a metric; kNone for a counter, which is not judged.
enum class Verdict { kNone, kWorse, kBetter, kNoChange, kUndecided };

// "", "worse", "better", "no change" or "undecided".
constexpr std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return "";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBetter:
      return "better";
    case Verdict::kNoChange:
      return "no change";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "";
}

// The ends of a confidence interval of a relative change.
struct ChangeInterval {
  double low = 0;
  double high = 0;

  friend bool operator==(const ChangeInterval&, const ChangeInterval&) = default;
};

// What a policy without a history, such as the oracle, comes to in the scenario of a row: how much
// is to be won.
struct Yardstick {
  std::string policy;
  SampleSummary summary;

  friend bool operator==(const Yardstick&, const Yardstick&) = default;
};

// One metric of one scenario on both sides. Samples are in order of repetition.
struct ComparisonRow {
  Series series;
  std::vector<double> baseline_samples;
  std::vector<double> candidate_samples;
  SampleSummary baseline;
  SampleSummary candidate;
  std::optional<double> relative_change;  // candidate / baseline - 1; absent for a baseline of 0
  std::optional<ChangeInterval> interval;
  std::optional<double> p_value;  // adjusted for the number of headline metrics
  Verdict verdict = Verdict::kNone;
  // Where undecided: further runs a side that would decide with 90 % power; 0 = not known.
  std::int32_t more_runs_needed = 0;
  std::vector<Yardstick> yardsticks = {};  // by name

  friend bool operator==(const ComparisonRow&, const ComparisonRow&) = default;
};

// Two revisions over everything that both were run in.
struct RevisionComparison {
  RevisionRef baseline;
  RevisionRef candidate;
  std::vector<ComparisonRow> rows;  // headline metrics first, then counters
  double false_discovery_rate = 0;

  friend bool operator==(const RevisionComparison&, const RevisionComparison&) = default;
};

}  // namespace schedlab
