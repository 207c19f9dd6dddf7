#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <utility>

#include "core/alert.h"
#include "core/result.h"
#include "server/store/series_rows.h"
#include "server/store/sql_values.h"

namespace schedlab::server {

// The database's ids of the revisions of one project, by policy and revision.
class RevisionIds {
 public:
  static RevisionIds Read(pqxx::work& transaction, const std::string& project);

  // kInvalidArgument: not stored.
  Result<std::int64_t> Find(const std::string& policy, const RevisionRef& revision) const;

 private:
  std::map<std::pair<std::string, std::string>, std::int64_t> ids_;
};

// The columns that change_points and alert_cells share, in the order in which ChangeOf() reads
// them.
inline constexpr const char* kChangeColumns =
    "series_id, revision_id, previous_id, interval_first_id, interval_last_id, relative_change, "
    "effect_sd, p_value, is_regression, "
    "(before).sample_count, (before).mean, (before).stddev, (before).median, (before).minimum, "
    "(before).maximum, "
    "(after).sample_count, (after).mean, (after).stddev, (after).median, (after).minimum, "
    "(after).maximum";
inline constexpr int kChangeColumnCount = 21;

// Changes as parallel arrays, for unnest().
class ChangeArrays {
 public:
  // kInvalidArgument: a revision is not stored.
  Status Add(const Series& of, const StoredChangePoint& change, const RevisionIds& ids);

  SqlArray series;
  SqlArray revisions;
  SqlArray previous;
  SqlArray interval_firsts;
  SqlArray interval_lasts;
  SqlArray relative_changes;
  SqlArray effects;
  SqlArray p_values;
  SqlArray regressions;
  SqlArray befores;  // text, to be cast: unnest() would take a composite apart
  SqlArray afters;
};

// The text of a composite value of type sample_summary.
std::string SummaryText(const SampleSummary& summary);
// From six columns that begin at `first`.
SampleSummary SummaryOf(const pqxx::row& row, pqxx::row::size_type first);

// Adds the revisions of a row that begins with kChangeColumns.
void AddRevisionIds(const pqxx::row& row, SqlArray& ids);
StoredChangePoint ChangeOf(const pqxx::row& row, const RevisionsById& revisions);

}  // namespace schedlab::server
