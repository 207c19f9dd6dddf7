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
// An alert is the one found before where project, policy and variant are the same and either the
// first revision after the change is, or else the intervals overlap: the one that overlaps most. It
// keeps its id and time, and its cells of series that were not analysed now. Its state, recovery,
// interval and revisions are those of all its cells: it is resolved when every one has recovered;
// else it stays acknowledged if it was, and is open. Cells of analysed series where the change is
// not found any more are removed; an alert that would have none left is dismissed, unless somebody
// acknowledged it, and keeps them.
Status StoreAlerts(pqxx::work& transaction, const std::string& project,
                   std::span<const Alert> alerts, std::span<const SeriesId> analysed);

// Those of `ids` that exist, in the order of `ids`, complete.
Result<std::vector<Alert>> ReadAlerts(pqxx::work& transaction, std::span<const AlertId> ids);

}  // namespace schedlab::server
