#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/ids.h"
#include "core/result.h"
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

inline constexpr AlertState kAlertStates[] = {AlertState::kOpen, AlertState::kAcknowledged,
                                              AlertState::kResolved, AlertState::kDismissed};

// "open", "acknowledged", "resolved" or "dismissed".
std::string_view ToString(AlertState state);

// Whether a person may take an alert from one state to another: an open one to any; an acknowledged
// one to any; a resolved one back to open or to dismissed; a dismissed one back to open.
bool MayChange(AlertState from, AlertState to);

// kFailedPrecondition with the names of both states, and of those that may be reached, where a
// person may not.
Status CheckChange(AlertState from, AlertState to);

// Who changed the state of an alert where it was no person.
inline constexpr std::string_view kBySchedlab = "schedlab";

// One step in the life of an alert.
struct AlertEvent {
  WallTime at;                     // by the database
  std::optional<AlertState> from;  // absent where it was raised
  AlertState to = AlertState::kOpen;
  std::string who;
  std::string why;

  friend bool operator==(const AlertEvent&, const AlertEvent&) = default;
};

inline constexpr std::int32_t kMaxEventsPerAlert = 10'000;

// What a person wants an alert to be. The same request again changes nothing.
struct AlertStateChange {
  std::string request_id;
  AlertId alert;
  AlertState to = AlertState::kOpen;
  std::string who;
  std::string why;

  friend bool operator==(const AlertStateChange&, const AlertStateChange&) = default;
};

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

// A headline series of the same policy, measured on both sides of a change that was not found
// there.
struct CellBeside {
  Series series;
  double relative_change = 0;
  SampleSummary before;
  SampleSummary after;

  friend bool operator==(const CellBeside&, const CellBeside&) = default;
};

// A headline series of the same policy that was measured before the change and not since.
struct NotRunCell {
  Series series;
  RevisionRef last;  // the newest revision with results

  friend bool operator==(const NotRunCell&, const NotRunCell&) = default;
};

// How many alerts of a project stand where. Those that were merged into others are not counted.
struct AlertPrecision {
  std::string project;
  std::int64_t open_count = 0;
  std::int64_t acknowledged_count = 0;
  std::int64_t resolved_count = 0;   // by a person
  std::int64_t recovered_count = 0;  // resolved by a later revision
  std::int64_t dismissed_count = 0;  // by a person
  std::int64_t withdrawn_count = 0;  // dismissed because later results do not show them

  // Of the alerts that are decided, the share that was not dismissed; absent where none is.
  std::optional<double> Share() const;

  friend bool operator==(const AlertPrecision&, const AlertPrecision&) = default;
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
  std::optional<RevisionRef> recovered;  // set when every cell that got worse recovered
  std::optional<AlertId> merged_into;    // the alert that has its cells now
  // The bisection that a coordinator began for it. Read with the history.
  std::optional<CampaignId> backfill;
  // Those that got worse first, then those that got better in the same interval.
  std::vector<AlertCell> cells;
  std::vector<CellBeside> unchanged;
  // Read from what is stored, never stored with an alert; as the history, oldest first.
  std::vector<CellBeside> undecided;  // too noisy to tell, or not at the same commit
  std::vector<NotRunCell> not_run;
  std::vector<AlertEvent> history;
  WallTime created_at;

  friend bool operator==(const Alert&, const Alert&) = default;
};

}  // namespace schedlab
