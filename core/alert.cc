#include "core/alert.h"

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

}  // namespace schedlab
