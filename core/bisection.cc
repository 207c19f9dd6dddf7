#include "core/bisection.h"

namespace schedlab {

std::string_view ToString(BisectionStage stage) {
  switch (stage) {
    case BisectionStage::kHistory:
      return "history";
    case BisectionStage::kReproduce:
      return "reproduce";
    case BisectionStage::kSearch:
      return "search";
    case BisectionStage::kConfirm:
      return "confirm";
    case BisectionStage::kSurvey:
      return "survey";
  }
  return "unknown";
}

std::string_view ToString(BisectionOutcome outcome) {
  switch (outcome) {
    case BisectionOutcome::kCulprit:
      return "culprit";
    case BisectionOutcome::kSkippedRange:
      return "skipped_range";
    case BisectionOutcome::kSeveral:
      return "several";
    case BisectionOutcome::kGradual:
      return "gradual";
    case BisectionOutcome::kNotReproduced:
      return "not_reproduced";
    case BisectionOutcome::kUndecided:
      return "undecided";
  }
  return "unknown";
}

std::string_view ToString(ChangeDirection direction) {
  switch (direction) {
    case ChangeDirection::kIncrease:
      return "increase";
    case ChangeDirection::kDecrease:
      return "decrease";
    case ChangeDirection::kEither:
      return "either";
  }
  return "unknown";
}

}  // namespace schedlab
