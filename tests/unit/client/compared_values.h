#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "client/comparison_set.h"
#include "tests/unit/client/report_values.h"

namespace schedlab::client {

inline SampleSummary SummaryOfSamples(const std::vector<double>& samples) {
  SampleSummary summary;
  summary.count = static_cast<std::int64_t>(samples.size());
  for (const double one : samples) summary.mean += one / static_cast<double>(samples.size());
  double squares = 0;
  for (const double one : samples) squares += (one - summary.mean) * (one - summary.mean);
  if (samples.size() > 1) {
    summary.stddev = std::sqrt(squares / static_cast<double>(samples.size() - 1));
  }
  summary.minimum = samples.front();
  summary.maximum = samples.back();
  summary.median = samples[samples.size() / 2];
  return summary;
}

// One row; samples must be in ascending order.
struct RowShape {
  std::string topology = "kvm-16x1";
  std::string workload = "fs_mark";
  std::string metric = "files_per_sec";
  std::string unit = "files/s";
  Direction direction = Direction::kHigherIsBetter;
  Verdict verdict = Verdict::kNoChange;
  std::vector<double> baseline = {};
  std::vector<double> candidate = {};
  std::string policy = "linux-fair";
};

inline ComparisonRow RowOf(const RowShape& shape) {
  ComparisonRow row;
  row.series =
      SeriesOf(shape.topology, shape.metric,
               shape.verdict == Verdict::kNone ? MetricRole::kCounter : MetricRole::kHeadline);
  row.series.key.workload = shape.workload;
  row.series.key.policy = shape.policy;
  row.series.key.engine_version = "3";
  row.series.unit = shape.unit;
  row.series.direction = shape.direction;
  row.series.minimum_effect = shape.verdict == Verdict::kNone ? 0 : 0.03;
  row.baseline_samples = shape.baseline;
  row.candidate_samples = shape.candidate;
  row.baseline = SummaryOfSamples(shape.baseline);
  row.candidate = SummaryOfSamples(shape.candidate);
  row.relative_change = row.candidate.mean / row.baseline.mean - 1;
  row.interval = ChangeInterval{*row.relative_change - 0.01, *row.relative_change + 0.01};
  if (shape.verdict != Verdict::kNone) row.p_value = 0.001;
  row.verdict = shape.verdict;
  if (shape.verdict == Verdict::kUndecided) row.more_runs_needed = 4;
  return row;
}

inline const RevisionRef kParent = {"6e4664525b1db28f8c4e1130957f70a94c19213e", 1, "Linux 3.11",
                                    ""};
inline const RevisionRef kChild = {"23f0d2093c789e612185180c4682094a4b31faf3", 2,
                                   "sched: Factor out code to should_we_balance()", ""};
inline const RevisionRef kRepair = {"b18855500fc40da050512d9df82d2f1471e59642", 3,
                                    "sched/balancing: Fix 'local->avg_load > sds->avg_load' case",
                                    ""};
inline const RevisionRef kEarlier = {"8bb495e3f02401ee6f76d1b1d77f3ac9f079e376", 0, "Linux 3.10",
                                     ""};

// Rows of a pair with the levels of its two sides: two machines, three judged metrics, two
// counters.
inline std::vector<ComparisonRow> RowsAt(double baseline, double candidate, Verdict verdict) {
  const auto runs = [](double level) {
    return std::vector<double>{0.99 * level, level, 1.01 * level};
  };
  const auto lower = Direction::kLowerIsBetter;
  return {
      RowOf({.verdict = verdict, .baseline = runs(baseline), .candidate = runs(candidate)}),
      RowOf({.topology = "kvm-1x16", .baseline = runs(18000), .candidate = runs(18018)}),
      RowOf({.workload = "kbuild",
             .metric = "elapsed_sec",
             .unit = "s",
             .direction = lower,
             .verdict = Verdict::kUndecided,
             .baseline = runs(4.125),
             .candidate = runs(4.25)}),
      RowOf({.metric = "idle_ratio",
             .unit = "ratio",
             .direction = lower,
             .verdict = Verdict::kNone,
             .baseline = {0.0237, 0.024, 0.0243},
             .candidate = {0.22, 0.238, 0.25}}),
      RowOf({.metric = "context_switches_per_sec",
             .unit = "1/s",
             .direction = lower,
             .verdict = Verdict::kNone,
             .baseline = runs(3975333),
             .candidate = runs(5117409)}),
  };
}

inline ComparedPair PairOf(std::size_t baseline, std::size_t candidate,
                           const RevisionRef& baseline_revision,
                           const RevisionRef& candidate_revision, std::vector<ComparisonRow> rows) {
  return {baseline,
          candidate,
          {.baseline = baseline_revision,
           .candidate = candidate_revision,
           .rows = std::move(rows),
           .false_discovery_rate = 0.05}};
}

// v3.11 against the commit after it that lost a quarter.
inline ComparisonSet SetOfTwo() {
  return *MergePairs({"v3.11"}, {"23f0d2093c78"},
                     {PairOf(0, 0, kParent, kChild, RowsAt(18350, 13290, Verdict::kWorse))});
}

// Two candidates against v3.11, and both against v3.10 too.
inline ComparisonSet SetOfFour() {
  return *MergePairs({"v3.11", "v3.10"}, {"23f0d2093c78", "v3.13"},
                     {PairOf(0, 0, kParent, kChild, RowsAt(18350, 13290, Verdict::kWorse)),
                      PairOf(1, 0, kEarlier, kChild, RowsAt(18800, 13290, Verdict::kWorse)),
                      PairOf(0, 1, kParent, kRepair, RowsAt(18350, 18400, Verdict::kNoChange)),
                      PairOf(1, 1, kEarlier, kRepair, RowsAt(18800, 18400, Verdict::kNoChange))});
}

}  // namespace schedlab::client
