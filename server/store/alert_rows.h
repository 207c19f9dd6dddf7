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
// An alert is the one found before where project and policy are the same and either the first
// revision after the change is, or else the intervals overlap: the one that overlaps most; one that
// is resolved or dismissed only where it has a series in common. It keeps its id and time, and its
// cells of series that were not analysed now. Its recovery, interval and revisions are those of all
// its cells that got worse.
//
// Every change of state is an event of its history. An open or acknowledged alert is resolved when
// the last of its cells recovers. What is resolved or dismissed stays so, however often the change
// is found, but for two cases: it had recovered, and the change is found in another series that has
// not; or it had been withdrawn, and is found in more results. Cells of analysed series where the
// change is not found any more are removed. An alert that would have none left keeps them: it is
// merged into the alert that has its change now, or else withdrawn, which is to say dismissed,
// unless a person changed its state.
Status StoreAlerts(pqxx::work& transaction, const std::string& project,
                   std::span<const Alert> alerts, std::span<const SeriesId> analysed);

// Those of `ids` that exist, in the order of `ids`, without history and cells that were not run.
Result<std::vector<Alert>> ReadAlerts(pqxx::work& transaction, std::span<const AlertId> ids);

// One alert with its history, and where it was not run. kNotFound: no such alert.
Result<Alert> ReadWholeAlert(pqxx::work& transaction, AlertId id);

// Headline series of the alert's policy that have results before its change and since, and are
// neither changed nor unchanged cells of it.
std::vector<SeriesId> FindSeriesBeside(pqxx::work& transaction, AlertId id);

}  // namespace schedlab::server
