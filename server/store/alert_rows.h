#pragma once

#include <pqxx/pqxx>
#include <span>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/result.h"

namespace schedlab::server {

// Stores what was found in the `analysed` series of a project. Requires: no other transaction
// stores alerts of the project. kInvalidArgument: an alert names a series or revision that is not
// stored, or has no cell.
//
// An alert is the one found before where project, policy and variant are the same and the intervals
// overlap; the oldest of several. It keeps its id and time, and its cells of series that were not
// analysed now. It becomes resolved when every cell has recovered; else it stays acknowledged if it
// was, and is open. An alert of analysed series only that is not found any more is dismissed,
// unless somebody acknowledged it.
Status StoreAlerts(pqxx::work& transaction, const std::string& project,
                   std::span<const Alert> alerts, std::span<const SeriesId> analysed);

// Those of `ids` that exist, in the order of `ids`, complete.
Result<std::vector<Alert>> ReadAlerts(pqxx::work& transaction, std::span<const AlertId> ids);

}  // namespace schedlab::server
