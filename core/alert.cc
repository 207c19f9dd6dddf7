#include "core/alert.h"

#include "core/worker.h"

namespace schedlab {

std::string_view ToString(AlertState state) {
  switch (state) {
    case AlertState::kOpen:
      return "open";
    case AlertState::kAcknowledged:
      return "acknowledged";
    case AlertState::kResolved:
      return "resolved";
    case AlertState::kDismissed:
      return "dismissed";
  }
  return "";
}

std::string_view ToString(WorkerState state) {
  switch (state) {
    case WorkerState::kActive:
      return "active";
    case WorkerState::kDraining:
      return "draining";
    case WorkerState::kLost:
      return "lost";
  }
  return "";
}

}  // namespace schedlab
