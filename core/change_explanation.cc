#include "core/change_explanation.h"

namespace schedlab {

std::string_view ToString(ChangeReason reason) {
  switch (reason) {
    case ChangeReason::kRegression:
      return "regression";
    case ChangeReason::kImprovement:
      return "improvement";
    case ChangeReason::kAnotherRevision:
      return "another_revision";
    case ChangeReason::kNotMeasured:
      return "not_measured";
    case ChangeReason::kNothingBefore:
      return "nothing_before";
    case ChangeReason::kSmallEffect:
      return "small_effect";
    case ChangeReason::kNotSignificant:
      return "not_significant";
    case ChangeReason::kOneRevision:
      return "one_revision";
    case ChangeReason::kTooFewRuns:
      return "too_few_runs";
    case ChangeReason::kRunsOverlap:
      return "runs_overlap";
    case ChangeReason::kFalseDiscoveryRate:
      return "false_discovery_rate";
  }
  return "";
}

}  // namespace schedlab
