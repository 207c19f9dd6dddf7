#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/series.h"

namespace schedlab {

// What decides about an alert at a revision of a series.
enum class ChangeReason {
  kRegression,          // the series got worse here
  kImprovement,         // it got better, which raises no alert
  kAnotherRevision,     // it changes nearby, and another revision is likelier
  kNotMeasured,         // the revision has no results in this series
  kNothingBefore,       // it is the first that was measured
  kSmallEffect,         // the level moves by less than the metric's minimum effect
  kNotSignificant,      // the step is within the noise
  kOneRevision,         // one revision alone makes the step
  kTooFewRuns,          // the newest revision is believed alone only with more runs
  kRunsOverlap,         // runs of the newest revision lie among earlier ones
  kFalseDiscoveryRate,  // it did not survive that over all series of the analysis
};

// "regression", "another_revision" and so on.
std::string_view ToString(ChangeReason reason);

// One threshold that was looked at.
struct ChangeCheck {
  std::string name;
  double value = 0;
  double limit = 0;
  bool is_passed = false;

  friend bool operator==(const ChangeCheck&, const ChangeCheck&) = default;
};

// The step that the detector sees at the revision, whether it believes in it or not.
struct ChangeStep {
  SampleSummary before;  // from the change before to this revision
  SampleSummary after;   // from this revision to the next change
  double relative_change = 0;
  double effect_sd = 0;
  double p_value = 1;

  friend bool operator==(const ChangeStep&, const ChangeStep&) = default;
};

// Why there is, or is not, an alert at a revision of a series.
struct ChangeExplanation {
  Series series;
  RevisionRef revision;
  ChangeReason reason = ChangeReason::kNotSignificant;
  std::vector<Point> points;  // around it
  std::optional<ChangeStep> step;
  std::vector<ChangeCheck> checks;          // in the order of the decision
  std::optional<StoredChangePoint> change;  // here, or whose interval has this revision
  std::optional<RevisionRef> likelier;      // with kAnotherRevision
  std::int64_t series_count = 0;            // of the analysis
  // About the change or this revision, those that were merged or dismissed included.
  std::vector<Alert> alerts;

  friend bool operator==(const ChangeExplanation&, const ChangeExplanation&) = default;
};

}  // namespace schedlab
