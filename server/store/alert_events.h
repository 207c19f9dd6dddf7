#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"

namespace schedlab::server {

// Requires: a value that the CHECK of alerts.state lets pass.
AlertState AlertStateOf(std::string_view text);

// The state of an alert that exists.
AlertState ReadState(pqxx::work& transaction, AlertId id);

// Whether a person brought the alert into the state that it has.
bool WasChangedByPerson(pqxx::work& transaction, AlertId id);

// Sets the state and adds to the history that schedlab did it. `from` is absent for a new alert.
void MoveAlert(pqxx::work& transaction, AlertId id, std::optional<AlertState> from, AlertState to,
               const std::string& why);

// The newest kMaxEventsPerAlert of them, oldest first.
std::vector<AlertEvent> ReadHistory(pqxx::work& transaction, AlertId id);

}  // namespace schedlab::server
