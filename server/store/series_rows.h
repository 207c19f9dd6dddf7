#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/ids.h"
#include "core/result.h"
#include "core/series.h"
#include "server/store/analysis_store.h"
#include "server/store/sql_values.h"

namespace schedlab::server {

using SeriesById = std::map<SeriesId, Series>;
using RevisionsById = std::map<std::int64_t, RevisionRef>;

// Those that exist.
Result<SeriesById> ReadSeriesRows(pqxx::work& transaction, std::span<const SeriesId> ids);
RevisionsById ReadRevisions(pqxx::work& transaction, SqlArray& ids);

// Series that match, in order of metric, topology and workload. Only those that have samples of one
// of `revisions` where there are any.
struct SeriesSearch {
  SeriesFilter filter;
  std::vector<std::string> revisions;
  std::int64_t after = 0;  // the id of the last series of the page before
  std::size_t limit = 0;
};
std::vector<SeriesId> FindSeries(pqxx::work& transaction, const SeriesSearch& search);

// Every point of each series, by ordinal.
std::map<SeriesId, std::vector<Point>> ReadPoints(pqxx::work& transaction,
                                                  std::span<const SeriesId> ids);

// Adds stored revisions of the policy that lie between points of a series and are none.
void AddUnmeasuredPoints(pqxx::work& transaction, std::vector<SeriesPoints>& series);

// How many analyses of the project were stored.
std::int64_t ReadGeneration(pqxx::work& transaction, const std::string& project);

}  // namespace schedlab::server
