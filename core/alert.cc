#include "core/alert.h"

#include <fmt/format.h>

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

bool MayChange(AlertState from, AlertState to) {
  switch (from) {
    case AlertState::kOpen:
    case AlertState::kAcknowledged:
      return to != from;
    case AlertState::kResolved:
      return to == AlertState::kOpen || to == AlertState::kDismissed;
    case AlertState::kDismissed:
      return to == AlertState::kOpen;
  }
  return false;
}

Status CheckChange(AlertState from, AlertState to) {
  if (MayChange(from, to)) return {};
  std::vector<std::string_view> possible;
  for (const AlertState state : kAlertStates) {
    if (MayChange(from, state)) possible.push_back(ToString(state));
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("an alert that is {} cannot become {}, only {}", ToString(from),
                          ToString(to), fmt::join(possible, " or ")));
}

std::optional<double> AlertPrecision::Share() const {
  const std::int64_t confirmed = acknowledged_count + resolved_count + recovered_count;
  const std::int64_t decided = confirmed + dismissed_count + withdrawn_count;
  if (decided == 0) return std::nullopt;
  return static_cast<double>(confirmed) / static_cast<double>(decided);
}

}  // namespace schedlab
