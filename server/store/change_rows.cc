#include "server/store/change_rows.h"

#include <fmt/format.h>

#include <string_view>

namespace schedlab::server {

RevisionIds RevisionIds::Read(pqxx::work& transaction, const std::string& project) {
  RevisionIds ids;
  const pqxx::result rows = transaction.exec_params(
      "SELECT policy, revision, id FROM revisions WHERE project = $1", project);
  for (const pqxx::row& row : rows) {
    ids.ids_.emplace(std::pair(row[0].c_str(), row[1].c_str()), row[2].as<std::int64_t>());
  }
  return ids;
}

Result<std::int64_t> RevisionIds::Find(const std::string& policy,
                                       const RevisionRef& revision) const {
  const auto found = ids_.find({policy, revision.id});
  if (found != ids_.end()) return found->second;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("revision '{}' of policy '{}' is not stored", revision.id, policy));
}

Status ChangeArrays::Add(const Series& of, const StoredChangePoint& change,
                         const RevisionIds& ids) {
  const std::pair<SqlArray*, const RevisionRef*> columns[] = {
      {&revisions, &change.revision},
      {&previous, &change.previous},
      {&interval_firsts, &change.interval_first},
      {&interval_lasts, &change.interval_last}};
  for (const auto& [column, revision] : columns) {
    const Result<std::int64_t> id = ids.Find(of.key.policy, *revision);
    if (!id) return Fail(id.error());
    column->Add(*id);
  }
  series.Add(of.id.value);
  relative_changes.Add(change.relative_change);
  effects.Add(change.effect_sd);
  p_values.Add(change.p_value);
  regressions.Add(std::string_view(change.is_regression ? "t" : "f"));
  befores.Add(std::string_view(SummaryText(change.before)));
  afters.Add(std::string_view(SummaryText(change.after)));
  return {};
}

std::string SummaryText(const SampleSummary& summary) {
  return fmt::format("({},{},{},{},{},{})", summary.count, summary.mean,
                     summary.stddev ? fmt::format("{}", *summary.stddev) : "", summary.median,
                     summary.minimum, summary.maximum);
}

SampleSummary SummaryOf(const pqxx::row& row, pqxx::row::size_type first) {
  SampleSummary summary;
  summary.count = row[first].as<std::int64_t>();
  summary.mean = DoubleOf(row[first + 1]);
  if (!row[first + 2].is_null()) summary.stddev = DoubleOf(row[first + 2]);
  summary.median = DoubleOf(row[first + 3]);
  summary.minimum = DoubleOf(row[first + 4]);
  summary.maximum = DoubleOf(row[first + 5]);
  return summary;
}

void AddRevisionIds(const pqxx::row& row, SqlArray& ids) {
  for (pqxx::row::size_type i = 1; i <= 4; ++i) ids.Add(row[i].as<std::int64_t>());
}

StoredChangePoint ChangeOf(const pqxx::row& row, const RevisionsById& revisions) {
  StoredChangePoint change;
  change.revision = revisions.at(row[1].as<std::int64_t>());
  change.previous = revisions.at(row[2].as<std::int64_t>());
  change.interval_first = revisions.at(row[3].as<std::int64_t>());
  change.interval_last = revisions.at(row[4].as<std::int64_t>());
  change.relative_change = DoubleOf(row[5]);
  change.effect_sd = DoubleOf(row[6]);
  change.p_value = DoubleOf(row[7]);
  change.is_regression = row[8].as<bool>();
  change.before = SummaryOf(row, 9);
  change.after = SummaryOf(row, 15);
  return change;
}

}  // namespace schedlab::server
