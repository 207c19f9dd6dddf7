#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/ids.h"
#include "core/series.h"

namespace schedlab {

// Count, centre and spread of samples.
struct SampleSummary {
  std::int64_t count = 0;
  double mean = 0;
  std::optional<double> stddev;  // n - 1; absent for fewer than 2
  double median = 0;
  double minimum = 0;
  double maximum = 0;

  friend bool operator==(const SampleSummary&, const SampleSummary&) = default;
};

// Where a series changes, as it is stored: its revisions are named, not counted, so that points
// added later do not move it.
struct StoredChangePoint {
  RevisionRef revision;        // the first after the change
  RevisionRef previous;        // the last before it
  RevisionRef interval_first;  // the earliest that may be the first after it, at 90 %
  RevisionRef interval_last;   // the latest
  double relative_change = 0;
  double effect_sd = 0;
  double p_value = 1;
  bool is_regression = false;
  SampleSummary before;
  SampleSummary after;

  friend bool operator==(const StoredChangePoint&, const StoredChangePoint&) = default;
};

enum class AlertState { kOpen, kAcknowledged, kResolved, kDismissed };

// "open", "acknowledged", "resolved" or "dismissed".
std::string_view ToString(AlertState state);

// A counter that moved together with a change.
struct CounterChange {
  std::string metric;
  std::string unit;
  double before = 0;
  double after = 0;
  std::optional<double> relative_change;
  double effect_sd = 0;

  friend bool operator==(const CounterChange&, const CounterChange&) = default;
};

// A stored run, by what repeats it: its seed, and a job whose spec has the workload's parameters.
struct ExampleRun {
  JobId job;
  std::int64_t seed = 0;

  friend bool operator==(const ExampleRun&, const ExampleRun&) = default;
};

// One series that the change of an alert touched.
struct AlertCell {
  Series series;
  StoredChangePoint change;
  std::optional<RevisionRef> recovered;
  std::optional<double> recovered_relative_change;
  std::vector<CounterChange> counters;
  // Of the alert's last revision before the change and the first after it; absent where that one
  // was not run here. Read from the stored results, never stored with an alert.
  std::optional<ExampleRun> previous_run;
  std::optional<ExampleRun> revision_run;

  friend bool operator==(const AlertCell&, const AlertCell&) = default;
};

// A headline series of the same policy where the change did not show.
struct UnchangedCell {
  Series series;
  double relative_change = 0;
  SampleSummary before;
  SampleSummary after;

  friend bool operator==(const UnchangedCell&, const UnchangedCell&) = default;
};

// One change (a commit interval) with all the cells that it touched.
struct Alert {
  AlertId id;
  std::string project;
  std::string policy;
  AlertState state = AlertState::kOpen;
  RevisionRef revision;
  RevisionRef previous;
  RevisionRef interval_first;
  RevisionRef interval_last;
  std::optional<RevisionRef> recovered;  // set when every cell recovered
  std::vector<AlertCell> cells;
  std::vector<UnchangedCell> unchanged;
  WallTime created_at;

  friend bool operator==(const Alert&, const Alert&) = default;
};

}  // namespace schedlab
