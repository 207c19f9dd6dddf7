#pragma once

#include <string>

#include "core/alert.h"
#include "core/comparison.h"

namespace schedlab::client {

inline Series SeriesOf(const std::string& topology, const std::string& metric, MetricRole role) {
  return {.id = SeriesId{1},
          .key = {.project = "linux",
                  .policy = "linux-fair",
                  .variant = "",
                  .topology = topology,
                  .workload = "fs_mark",
                  .scenario_digest = topology + "-digest",
                  .executor = Executor::kSim,
                  .engine_version = "1",
                  .metric = metric},
          .unit = "files/s",
          .direction = Direction::kHigherIsBetter,
          .role = role};
}

inline SampleSummary SummaryOf(double mean) {
  return {.count = 5,
          .mean = mean,
          .stddev = mean * 0.01,
          .median = mean,
          .minimum = mean,
          .maximum = mean};
}

inline ComparisonRow RowOf(const std::string& topology, const std::string& metric, double change,
                           Verdict verdict) {
  ComparisonRow row;
  row.series = SeriesOf(topology, metric,
                        verdict == Verdict::kNone ? MetricRole::kCounter : MetricRole::kHeadline);
  row.baseline = SummaryOf(100);
  row.candidate = SummaryOf(100 * (1 + change));
  row.relative_change = change;
  row.verdict = verdict;
  return row;
}

inline RevisionComparison ComparisonOf(std::vector<ComparisonRow> rows) {
  return {.baseline = {"aaaaaaaaaaaaaaaa", 1, "sched: before", ""},
          .candidate = {"bbbbbbbbbbbbbbbb", 2, "sched: after", ""},
          .rows = std::move(rows),
          .false_discovery_rate = 0.05};
}

// A regression of files_per_sec on kvm-16x1 that kvm-1x16 does not have.
inline Alert AlertOnOneTopology() {
  Alert alert;
  alert.id = AlertId{7};
  alert.project = "linux";
  alert.policy = "linux-fair";
  alert.revision = {"bbbbbbbbbbbbbbbb", 2, "sched: after", ""};
  alert.previous = {"aaaaaaaaaaaaaaaa", 1, "sched: before", ""};
  alert.interval_first = alert.revision;
  alert.interval_last = alert.revision;
  alert.recovered = RevisionRef{"cccccccccccccccc", 5, "sched: repair", ""};
  AlertCell cell;
  cell.series = SeriesOf("kvm-16x1", "files_per_sec", MetricRole::kHeadline);
  cell.change.revision = alert.revision;
  cell.change.previous = alert.previous;
  cell.change.relative_change = -0.276;
  cell.change.effect_sd = 31;
  cell.change.is_regression = true;
  cell.change.before = SummaryOf(18350);
  cell.change.after = SummaryOf(13290);
  cell.recovered = alert.recovered;
  cell.recovered_relative_change = 0.002;
  cell.counters = {{"idle_ratio", "ratio", 0.02, 0.24, 11.0, 40}};
  alert.cells = {cell};
  alert.unchanged = {{SeriesOf("kvm-1x16", "files_per_sec", MetricRole::kHeadline), 0.001,
                      SummaryOf(18000), SummaryOf(18018)}};
  return alert;
}

}  // namespace schedlab::client
