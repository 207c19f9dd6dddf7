// Series, change points and alerts as users and the analysis read them.

#include <fmt/format.h>

#include <limits>

#include "core/limits.h"
#include "server/store/alert_events.h"
#include "server/store/alert_rows.h"
#include "server/store/analysis_store.h"
#include "server/store/change_rows.h"
#include "server/store/page_token.h"
#include "server/store/revision_rows.h"
#include "server/store/series_rows.h"
#include "server/store/transact.h"

namespace schedlab::server {
namespace {

// Series that one comparison may read.
constexpr std::size_t kMaxComparedSeries = 10'000;

// By what a series' key and a run share. `j` is the job.
constexpr const char* kSeriesOfJob = R"sql(
  SELECT DISTINCT s.id
  FROM (
    SELECT DISTINCT r.policy_id, r.revision_id, r.scenario_id, r.executor, r.engine_version
    FROM job_runs jr JOIN runs r ON r.id = jr.run_id
    WHERE jr.job_id = $1
  ) d
  JOIN policies p ON p.id = d.policy_id
  JOIN revisions v ON v.id = d.revision_id
  JOIN series s ON s.project = v.project AND s.policy = p.name AND s.variant = p.variant
    AND s.scenario_id = d.scenario_id AND s.executor = d.executor
    AND s.engine_version = d.engine_version
  WHERE s.role = 'headline'
  ORDER BY s.id
)sql";

// A job may judge a metric that the first job of its series only counted. In order of the key, as
// every write to series.
constexpr const char* kPromoteJudgedSeries = R"sql(
  WITH promoted AS (
    SELECT s.id
    FROM jobs j
    JOIN LATERAL (
      SELECT DISTINCT r.policy_id, r.revision_id, r.scenario_id, r.executor, r.engine_version
      FROM job_runs jr JOIN runs r ON r.id = jr.run_id
      WHERE jr.job_id = j.id
    ) d ON true
    JOIN policies p ON p.id = d.policy_id
    JOIN revisions v ON v.id = d.revision_id
    JOIN series s ON s.project = v.project AND s.policy = p.name AND s.variant = p.variant
      AND s.scenario_id = d.scenario_id AND s.executor = d.executor
      AND s.engine_version = d.engine_version
    JOIN metrics m ON m.id = s.metric_id
    WHERE j.id = $1 AND s.role = 'counter' AND m.name = ANY(j.judged_metrics)
    ORDER BY s.id
    FOR UPDATE OF s
  )
  UPDATE series SET role = 'headline' WHERE id IN (SELECT id FROM promoted)
)sql";

constexpr const char* kReadPairs = R"sql(
  SELECT a.series_id, r.revision = $3, array_agg(a.value ORDER BY a.repetition, a.run_id),
    array_agg(u.seed ORDER BY a.repetition, a.run_id)
  FROM samples a
  JOIN revisions r ON r.id = a.revision_id
  JOIN runs u ON u.id = a.run_id
  JOIN series s ON s.id = a.series_id
  JOIN revision_policies w ON w.revision_id = a.revision_id AND w.variant = s.variant
    AND w.policy_id = a.policy_id
  WHERE a.series_id = ANY($1::integer[]) AND r.revision IN ($2, $3)
  GROUP BY a.series_id, r.revision
)sql";

// What was run beside, by policies that have no revisions.
constexpr const char* kReadYardsticks = R"sql(
  SELECT s.id, y.policy, array_agg(a.value ORDER BY a.repetition, a.run_id)
  FROM series s
  JOIN series y ON y.project = s.project AND y.scenario_id = s.scenario_id
    AND y.executor = s.executor AND y.engine_version = s.engine_version
    AND y.metric_id = s.metric_id AND y.variant = '' AND y.policy <> s.policy
  JOIN revisions r ON r.project = y.project AND r.policy = y.policy AND r.revision = ''
  JOIN revision_policies w ON w.revision_id = r.id AND w.variant = y.variant
  JOIN samples a ON a.series_id = y.id AND a.revision_id = r.id AND a.policy_id = w.policy_id
  WHERE s.id = ANY($1::integer[])
  GROUP BY s.id, y.policy ORDER BY s.id, y.policy
)sql";

// Where the policy changed at this revision, in this series or in others.
constexpr const char* kFindAlertsAround = R"sql(
  SELECT id FROM alerts a
  WHERE project = $1 AND policy = $2 AND ($4 BETWEEN first_ordinal AND last_ordinal OR EXISTS (
    SELECT FROM alert_cells c
    JOIN revisions f ON f.id = c.interval_first_id
    JOIN revisions l ON l.id = c.interval_last_id
    WHERE c.alert_id = a.id AND c.series_id = $3 AND $4 BETWEEN f.ordinal AND l.ordinal))
  ORDER BY id DESC LIMIT $5
)sql";

Result<std::vector<SeriesPoints>> ReadWithPoints(pqxx::work& transaction,
                                                 std::span<const SeriesId> ids) {
  Result<SeriesById> series = ReadSeriesRows(transaction, ids);
  if (!series) return Fail(series.error());
  std::map<SeriesId, std::vector<Point>> points = ReadPoints(transaction, ids);
  std::vector<SeriesPoints> answer;
  for (const SeriesId id : ids) {
    const auto found = series->find(id);
    if (found == series->end()) continue;
    answer.push_back({.series = std::move(found->second), .points = std::move(points[id])});
  }
  return answer;
}

std::string ListingOf(const SeriesFilter& filter) {
  return fmt::format("series of {}\n{}\n{}\n{}\n{}\n{}\n{}", filter.project, filter.policy,
                     filter.variant ? "=" + *filter.variant : "", filter.metric, filter.topology,
                     filter.workload, filter.headline_only);
}

}  // namespace

Result<AnalysisInput> AnalysisStore::ReadSeriesOfJob(JobId job) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<AnalysisInput> {
    const pqxx::result projects =
        transaction.exec_params("SELECT project FROM jobs WHERE id = $1", job.value);
    if (projects.empty()) return Fail(ErrorCode::kNotFound, fmt::format("no job {}", job.value));
    // Before the points: an analysis that is stored between the two is then found out.
    const std::int64_t generation = ReadGeneration(transaction, projects[0][0].c_str());
    std::vector<SeriesId> ids;
    transaction.exec_params0(kPromoteJudgedSeries, job.value);
    const pqxx::result rows = transaction.exec_params(kSeriesOfJob, job.value);
    for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
    Result<std::vector<SeriesPoints>> series = ReadWithPoints(transaction, ids);
    if (!series) return Fail(series.error());
    AddUnmeasuredPoints(transaction, *series);
    return AnalysisInput{.generation = generation, .series = std::move(*series)};
  });
}

Result<Page<Series>> AnalysisStore::ListSeries(const SeriesFilter& filter,
                                               const PageRequest& page) {
  const std::string listing = ListingOf(filter);
  const Result<std::int64_t> after = DecodePageToken(listing, page.token, 0);
  if (!after) return Fail(after.error());
  const auto size = static_cast<std::size_t>(PageSize(page.size));
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Page<Series>> {
    std::vector<SeriesId> ids = FindSeries(
        transaction, {.filter = filter, .revisions = {}, .after = *after, .limit = size + 1});
    Page<Series> answer;
    if (ids.size() > size) {
      ids.resize(size);
      answer.next_token = EncodePageToken(listing, ids.back().value);
    }
    Result<SeriesById> found = ReadSeriesRows(transaction, ids);
    if (!found) return Fail(found.error());
    for (const SeriesId id : ids) answer.items.push_back(std::move(found->at(id)));
    return answer;
  });
}

Result<SeriesPoints> AnalysisStore::ReadSeries(SeriesId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<SeriesPoints> {
    Result<std::vector<SeriesPoints>> found = ReadWithPoints(transaction, {&id, 1});
    if (!found) return Fail(found.error());
    if (found->empty()) return Fail(ErrorCode::kNotFound, fmt::format("no series {}", id.value));
    return std::move(found->front());
  });
}

Result<std::vector<SeriesPoints>> AnalysisStore::ReadSeriesBeside(AlertId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<SeriesPoints>> {
    return ReadWithPoints(transaction, FindSeriesBeside(transaction, id));
  });
}

Result<std::vector<StoredChangePoint>> AnalysisStore::ReadChangePoints(SeriesId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<StoredChangePoint>> {
    const pqxx::result rows = transaction.exec_params(
        std::string("SELECT ") + kChangeColumns +
            " FROM change_points c JOIN (SELECT id AS at_id, ordinal FROM revisions) r "
            "ON r.at_id = c.revision_id WHERE series_id = $1 ORDER BY r.ordinal",
        id.value);
    SqlArray revision_ids;
    for (const pqxx::row& row : rows) AddRevisionIds(row, revision_ids);
    const RevisionsById revisions = ReadRevisions(transaction, revision_ids);
    std::vector<StoredChangePoint> changes;
    for (const pqxx::row& row : rows) changes.push_back(ChangeOf(row, revisions));
    return changes;
  });
}

Result<std::vector<SeriesPair>> AnalysisStore::ReadPairs(const SeriesFilter& filter,
                                                         const std::string& baseline,
                                                         const std::string& candidate) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<SeriesPair>> {
    const std::vector<SeriesId> ids = FindSeries(transaction, {.filter = filter,
                                                               .revisions = {baseline, candidate},
                                                               .after = 0,
                                                               .limit = kMaxComparedSeries + 1});
    if (ids.size() > kMaxComparedSeries) {
      return Fail(ErrorCode::kResourceExhausted,
                  fmt::format("more than {} series match: narrow the filter", kMaxComparedSeries));
    }
    Result<SeriesById> series = ReadSeriesRows(transaction, ids);
    if (!series) return Fail(series.error());
    std::map<SeriesId, SeriesPair> pairs;
    const pqxx::result rows =
        transaction.exec_params(kReadPairs, ArrayOfIds<SeriesId>(ids).text(), baseline, candidate);
    for (const pqxx::row& row : rows) {
      SeriesPair& pair = pairs[{row[0].as<std::int64_t>()}];
      SeededSamples& side = row[1].as<bool>() ? pair.candidate : pair.baseline;
      side.values = DoublesOf(row[2]);
      side.seeds = IntegersOf(row[3]);
    }
    for (const pqxx::row& row :
         transaction.exec_params(kReadYardsticks, ArrayOfIds<SeriesId>(ids).text())) {
      pairs[{row[0].as<std::int64_t>()}].yardsticks.push_back(
          {.policy = row[1].c_str(), .values = DoublesOf(row[2])});
    }
    std::vector<SeriesPair> answer;
    for (const SeriesId id : ids) {
      answer.push_back(std::move(pairs[id]));
      answer.back().series = std::move(series->at(id));
    }
    return answer;
  });
}

Result<RevisionRef> AnalysisStore::FindRevision(const std::string& project,
                                                const std::string& policy,
                                                const std::string& reference,
                                                NeedsResults needs_results) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<RevisionRef> {
    const Result<StoredRevision> found = MatchRevision(transaction, project, policy, reference);
    if (!found) return Fail(found.error());
    if (needs_results == NeedsResults::kYes && !found->has_results) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("revision {} has no results", found->revision.id));
    }
    return found->revision;
  });
}

Result<Page<Alert>> AnalysisStore::ListAlerts(const std::string& project,
                                              std::optional<AlertState> state,
                                              const PageRequest& page) {
  const std::string state_text(state ? ToString(*state) : "");
  const std::string listing = fmt::format("alerts of {} {}", project, state_text);
  const Result<std::int64_t> before =
      DecodePageToken(listing, page.token, std::numeric_limits<std::int64_t>::max());
  if (!before) return Fail(before.error());
  const auto size = static_cast<std::size_t>(PageSize(page.size));
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Page<Alert>> {
    std::vector<AlertId> ids;
    const pqxx::result rows = transaction.exec_params(
        "SELECT id FROM alerts WHERE id < $1 AND ($2 = '' OR project = $2) "
        "AND ($3 = '' OR state = $3) ORDER BY id DESC LIMIT $4",
        *before, project, state_text, size + 1);
    for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
    Page<Alert> answer;
    if (ids.size() > size) {
      ids.resize(size);
      answer.next_token = EncodePageToken(listing, ids.back().value);
    }
    Result<std::vector<Alert>> alerts = ReadAlerts(transaction, ids);
    if (!alerts) return Fail(alerts.error());
    answer.items = std::move(*alerts);
    return answer;
  });
}

Result<Alert> AnalysisStore::GetAlert(AlertId id) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<Alert> {
    return ReadWholeAlert(transaction, id);
  });
}

Result<JobId> AnalysisStore::FindAnalysedJob(SeriesId series) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<JobId> {
    const pqxx::row row = transaction.exec_params1(
        "SELECT max(j.id) FROM samples s JOIN job_runs jr ON jr.run_id = s.run_id "
        "JOIN jobs j ON j.id = jr.job_id WHERE s.series_id = $1 AND j.analyzed_at IS NOT NULL",
        series.value);
    if (!row[0].is_null()) return JobId{row[0].as<std::int64_t>()};
    return Fail(ErrorCode::kNotFound, fmt::format("series {} was not analysed yet", series.value));
  });
}

Result<std::vector<Alert>> AnalysisStore::FindAlertsAround(const Series& series,
                                                           std::int64_t ordinal) {
  return Transact(pool_, [&](pqxx::work& transaction) -> Result<std::vector<Alert>> {
    std::vector<AlertId> ids;
    const pqxx::result rows =
        transaction.exec_params(kFindAlertsAround, series.key.project, series.key.policy,
                                series.id.value, ordinal, static_cast<std::int64_t>(kMaxPageSize));
    for (const pqxx::row& row : rows) ids.push_back({row[0].as<std::int64_t>()});
    return ReadAlerts(transaction, ids);
  });
}

Result<std::map<AlertState, std::int64_t>> AnalysisStore::CountAlerts() {
  return Transact(pool_, [](pqxx::work& transaction) -> Result<std::map<AlertState, std::int64_t>> {
    std::map<AlertState, std::int64_t> counts;
    for (const AlertState state : kAlertStates) counts.emplace(state, 0);
    for (const pqxx::row& row : transaction.exec(
             "SELECT state, count(*) FROM alerts WHERE merged_into_id IS NULL GROUP BY state")) {
      counts[AlertStateOf(row[0].c_str())] = row[1].as<std::int64_t>();
    }
    return counts;
  });
}

}  // namespace schedlab::server
