#include "server/store/series_rows.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/check.h"

namespace schedlab::server {
namespace {

constexpr const char* kReadSeries = R"sql(
  SELECT s.id, s.project, s.policy, s.variant, c.topology, c.workload, c.digest, s.executor,
    s.engine_version, m.name, s.unit, s.direction, s.role, s.minimum_effect,
    (SELECT count(*) FROM points p WHERE p.series_id = s.id)
  FROM series s
  JOIN scenarios c ON c.id = s.scenario_id
  JOIN metrics m ON m.id = s.metric_id
  WHERE s.id = ANY($1::integer[])
)sql";

constexpr const char* kFindSeries = R"sql(
  SELECT s.id
  FROM series s
  JOIN scenarios c ON c.id = s.scenario_id
  JOIN metrics m ON m.id = s.metric_id
  WHERE ($1 = '' OR s.project = $1) AND ($2 = '' OR s.policy = $2)
    AND ($3::text IS NULL OR s.variant = $3) AND ($4 = '' OR m.name = $4)
    AND ($5 = '' OR c.topology = $5) AND ($6 = '' OR c.workload = $6)
    AND (NOT $7::boolean OR s.role = 'headline')
    AND (cardinality($8::text[]) = 0 OR EXISTS (
      SELECT FROM points p JOIN revisions r ON r.id = p.revision_id
      WHERE p.series_id = s.id AND r.revision = ANY($8::text[])))
    AND ($9::integer = 0 OR (m.name, c.topology, c.workload, s.id) > (
      SELECT m2.name, c2.topology, c2.workload, s2.id
      FROM series s2
      JOIN scenarios c2 ON c2.id = s2.scenario_id
      JOIN metrics m2 ON m2.id = s2.metric_id
      WHERE s2.id = $9::integer))
  ORDER BY m.name, c.topology, c.workload, s.id
  LIMIT $10
)sql";

constexpr const char* kReadPoints = R"sql(
  SELECT a.series_id, a.revision_id, array_agg(a.value ORDER BY a.repetition, a.run_id)
  FROM samples a
  JOIN series s ON s.id = a.series_id
  JOIN revision_policies w ON w.revision_id = a.revision_id AND w.variant = s.variant
    AND w.policy_id = a.policy_id
  WHERE a.series_id = ANY($1::integer[])
  GROUP BY a.series_id, a.revision_id
)sql";

Direction DirectionOf(std::string_view text) {
  return text == ToString(Direction::kLowerIsBetter) ? Direction::kLowerIsBetter
                                                     : Direction::kHigherIsBetter;
}

MetricRole RoleOf(std::string_view text) {
  return text == ToString(MetricRole::kHeadline) ? MetricRole::kHeadline : MetricRole::kCounter;
}

Result<Series> SeriesOf(const pqxx::row& row) {
  const Result<Executor> executor = ExecutorOf(row[7].c_str());
  if (!executor) return Fail(executor.error());
  Series series;
  series.id = {row[0].as<std::int64_t>()};
  series.key = {.project = row[1].c_str(),
                .policy = row[2].c_str(),
                .variant = row[3].c_str(),
                .topology = row[4].c_str(),
                .workload = row[5].c_str(),
                .scenario_digest = row[6].c_str(),
                .executor = *executor,
                .engine_version = row[8].c_str(),
                .metric = row[9].c_str()};
  series.unit = row[10].c_str();
  series.direction = DirectionOf(row[11].c_str());
  series.role = RoleOf(row[12].c_str());
  series.minimum_effect = DoubleOf(row[13]);
  series.point_count = row[14].as<std::int64_t>();
  return series;
}

// By ordinal.
std::vector<RevisionRef> RevisionsOf(pqxx::work& transaction, const std::string& project,
                                     const std::string& policy) {
  std::vector<RevisionRef> revisions;
  const pqxx::result rows = transaction.exec_params(
      "SELECT revision, ordinal, subject, date FROM revisions WHERE project = $1 AND policy = $2 "
      "ORDER BY ordinal, revision",
      project, policy);
  for (const pqxx::row& row : rows) {
    revisions.push_back({.id = row[0].c_str(),
                         .ordinal = row[1].as<std::int64_t>(),
                         .subject = row[2].c_str(),
                         .date = row[3].c_str()});
  }
  return revisions;
}

// Requires: points are not empty, and both are by ordinal.
void AddUnmeasured(const std::vector<RevisionRef>& revisions, std::vector<Point>& points) {
  std::vector<Point> filled;
  auto next = points.begin();
  for (const RevisionRef& revision : revisions) {
    while (next != points.end() && next->revision.ordinal <= revision.ordinal) {
      filled.push_back(std::move(*next++));
    }
    if (next == points.end()) break;
    if (!filled.empty() && filled.back().revision.ordinal < revision.ordinal) {
      filled.push_back({.revision = revision, .samples = {}});
    }
  }
  filled.insert(filled.end(), std::make_move_iterator(next), std::make_move_iterator(points.end()));
  points = std::move(filled);
}

}  // namespace

Result<SeriesById> ReadSeriesRows(pqxx::work& transaction, std::span<const SeriesId> ids) {
  SeriesById found;
  const pqxx::result rows = transaction.exec_params(kReadSeries, ArrayOfIds(ids).text());
  for (const pqxx::row& row : rows) {
    Result<Series> series = SeriesOf(row);
    if (!series) return Fail(series.error());
    found.emplace(series->id, std::move(*series));
  }
  return found;
}

RevisionsById ReadRevisions(pqxx::work& transaction, SqlArray& ids) {
  RevisionsById found;
  const pqxx::result rows = transaction.exec_params(
      "SELECT id, revision, ordinal, subject, date FROM revisions WHERE id = ANY($1::integer[])",
      ids.text());
  for (const pqxx::row& row : rows) {
    found.emplace(row[0].as<std::int64_t>(), RevisionRef{.id = row[1].c_str(),
                                                         .ordinal = row[2].as<std::int64_t>(),
                                                         .subject = row[3].c_str(),
                                                         .date = row[4].c_str()});
  }
  return found;
}

std::vector<SeriesId> FindSeries(pqxx::work& transaction, const SeriesSearch& search) {
  const SeriesFilter& filter = search.filter;
  std::vector<SeriesId> ids;
  const pqxx::result rows =
      transaction.exec_params(kFindSeries, filter.project, filter.policy,
                              filter.variant ? filter.variant->c_str() : nullptr, filter.metric,
                              filter.topology, filter.workload, filter.headline_only,
                              ArrayOfStrings(search.revisions).text(), search.after, search.limit);
  for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
  return ids;
}

std::map<SeriesId, std::vector<Point>> ReadPoints(pqxx::work& transaction,
                                                  std::span<const SeriesId> ids) {
  const pqxx::result rows = transaction.exec_params(kReadPoints, ArrayOfIds(ids).text());
  SqlArray revision_ids;
  for (const pqxx::row& row : rows) revision_ids.Add(row[1].as<std::int64_t>());
  const RevisionsById revisions = ReadRevisions(transaction, revision_ids);
  std::map<SeriesId, std::vector<Point>> points;
  for (const pqxx::row& row : rows) {
    points[{row[0].as<std::int64_t>()}].push_back(
        {.revision = revisions.at(row[1].as<std::int64_t>()), .samples = DoublesOf(row[2])});
  }
  for (auto& [id, of_series] : points) {
    std::sort(of_series.begin(), of_series.end(), [](const Point& a, const Point& b) {
      return std::pair(a.revision.ordinal, a.revision.id) <
             std::pair(b.revision.ordinal, b.revision.id);
    });
  }
  return points;
}

void AddUnmeasuredPoints(pqxx::work& transaction, std::vector<SeriesPoints>& series) {
  std::map<std::pair<std::string, std::string>, std::vector<RevisionRef>> revisions_by_policy;
  for (SeriesPoints& one : series) {
    if (one.points.empty()) continue;
    const auto [found, is_new] = revisions_by_policy.try_emplace(
        std::pair(one.series.key.project, one.series.key.policy), std::vector<RevisionRef>());
    if (is_new) {
      found->second = RevisionsOf(transaction, one.series.key.project, one.series.key.policy);
    }
    AddUnmeasured(found->second, one.points);
  }
}

std::int64_t ReadGeneration(pqxx::work& transaction, const std::string& project) {
  const pqxx::result rows = transaction.exec_params(
      "SELECT generation FROM analysis_generations WHERE project = $1", project);
  return rows.empty() ? 0 : rows[0][0].as<std::int64_t>();
}

}  // namespace schedlab::server
