#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "client/account.h"
#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/environment.h"
#include "client/json_output.h"
#include "core/limits.h"
#include "core/spec_json.h"

namespace schedlab::client {
namespace {

constexpr std::size_t kRequestIdDigits = 40;

// "user@host".
std::string ThisPerson() {
  std::string user = EnvironmentVariable("USER");
  if (user.empty()) user = AccountOf(geteuid(), getegid()).name;
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return user;
  return fmt::format("{}@{}", user, host.data()).substr(0, kMaxNameLength);
}

bool IsDone(const Alert& alert, const AlertStateChange& change) {
  if (alert.history.empty()) return false;
  const AlertEvent& last = alert.history.back();
  return last.to == change.to && last.who == change.who && last.why == change.why;
}

// The same words after something else happened are another change.
std::string RequestId(const Alert& alert, const AlertStateChange& change) {
  const WallTime last = alert.history.empty() ? alert.created_at : alert.history.back().at;
  return Sha256Hex(fmt::format("alert {}\n{}\n{}\n{}\n{}", alert.id.value, ToString(change.to),
                               change.who, change.why, last.time_since_epoch().count()))
      .substr(0, kRequestIdDigits);
}

Result<Alert> Change(Coordinator& coordinator, AlertStateChange change) {
  if (!change.request_id.empty()) return coordinator.ChangeAlertState(change);
  Result<Alert> alert = coordinator.GetAlert(change.alert);
  if (!alert || IsDone(*alert, change)) return alert;
  change.request_id = RequestId(*alert, change);
  return coordinator.ChangeAlertState(change);
}

}  // namespace

ExitCode RunAlertChange(const GlobalOptions& global, const AlertChangeOptions& options) {
  Coordinator coordinator(global.server);
  const std::string who = options.who.empty() ? ThisPerson() : options.who;
  const Result<Alert> alert = Change(coordinator, {.request_id = options.request_id,
                                                   .alert = AlertId{options.id},
                                                   .to = options.to,
                                                   .who = who,
                                                   .why = options.why});
  if (!alert) {
    return ReportError(fmt::format("cannot change alert {}", options.id), alert.error());
  }
  if (global.output == OutputFormat::kJson) {
    Print(AlertDocument(*alert));
  } else {
    Print(fmt::format("alert {} is {}\n", alert->id.value, ToString(alert->state)));
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
